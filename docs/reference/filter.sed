# Turns the comments of the headers, which are written for those who read them there, into Doxygen's.
1s|^// |/// \\file\n/// |
1s|^/\* |/** \\file\n * |
s|^\( *\)//\( \{0,1\}\)\([^/]\)|\1/// \3|
s|^\( *\)//$|\1///|
s|^\( *\)/\* |\1/** |
s|\([;,{)]\)  *// |\1 ///< |
s|\([;,]\)  */\* |\1 /**< |

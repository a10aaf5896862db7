"""What the tests on the lab share."""

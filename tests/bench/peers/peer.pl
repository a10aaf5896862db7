#!/usr/bin/perl
# One uncontended acquire and release by File::NFSLock. Usage and output: see peer.py.
use strict;
use warnings;
use Fcntl qw(LOCK_EX LOCK_SH);
use File::NFSLock;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

my ($directory, $seconds, $cycles, $only) = @ARGV;

sub now { return clock_gettime(CLOCK_MONOTONIC) }

for my $mode (['read', LOCK_SH], ['write', LOCK_EX]) {
  my ($word, $flag) = @$mode;
  my $name = "File::NFSLock/$word";
  next if defined $only && $only ne $name;
  my @samples;
  my $end = now() + $seconds;
  while ($cycles ? @samples < $cycles : now() < $end) {
    my $begin = now();
    my $lock = File::NFSLock->new("$directory/nfslock.$word", $flag, 10) or die $File::NFSLock::errstr;
    $lock->unlock;
    push @samples, (now() - $begin) * 1e6;
  }
  @samples = sort { $a <=> $b } @samples;
  printf qq({"name": "%s", "p50": %f, "p99": %f}\n), $name, $samples[@samples / 2], $samples[@samples * 0.99];
}

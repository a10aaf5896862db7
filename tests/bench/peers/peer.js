#!/usr/bin/env node
// One uncontended acquire and release by proper-lockfile. Usage and output: see peer.py.
'use strict';
const fs = require('fs');
const lockfile = require('proper-lockfile');

async function main(directory, seconds, cycles, only) {
  const name = 'proper-lockfile/write';
  if (only !== undefined && only !== name) return;
  const file = `${directory}/proper-lockfile`;
  fs.writeFileSync(file, '');
  const samples = [];
  const end = performance.now() + 1000 * seconds;
  while (Number(cycles) > 0 ? samples.length < cycles : performance.now() < end) {
    const begin = performance.now();
    const release = await lockfile.lock(file);
    await release();
    samples.push((performance.now() - begin) * 1000);
  }
  samples.sort((a, b) => a - b);
  const at = (part) => samples[Math.floor(samples.length * part)];
  console.log(JSON.stringify({name, p50: at(0.5), p99: at(0.99)}));
}

main(...process.argv.slice(2));

'use strict';
// Puts the bundled driver into a copy of node: one program with one checksum.
// A node that is linked with libnode.so cannot be packed.
const { chmodSync, copyFileSync, readFileSync } = require('node:fs');
const { inject } = require('postject');

copyFileSync(process.execPath, 'build/nodemem');
chmodSync('build/nodemem', 0o700);
inject('build/nodemem', 'NODE_SEA_BLOB', readFileSync('build/driver.blob'), {
  sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
});

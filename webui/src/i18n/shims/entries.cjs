'use strict';
module.exports = Object.entries;

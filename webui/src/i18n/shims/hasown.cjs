'use strict';
module.exports = Object.hasOwn;

'use strict';
module.exports = (ok, message) => {
  if (!ok) console.warn(message);
};

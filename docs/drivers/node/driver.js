'use strict';
// A storage driver in JavaScript: it keeps objects in memory, until the process
// ends. It shows the protocol of docs/drivers.md without the Go SDK.
const { isUtf8 } = require('node:buffer');
const { randomUUID } = require('node:crypto');
const { fail, serve } = require('./host.js');

const KEY = 1024; // bytes of the longest key
const PAGE = 1000; // entries of the longest page
const CHUNK = 256 << 10; // bytes of a frame

const opened = new Map(); // handle to space
const spaces = new Map(); // name to its objects, by key

// Keys are bytes. Here they are latin1 texts, whose order is that of their bytes.
const textOf = (bytes) => Buffer.from(bytes).toString('latin1');
const bytesOf = (text) => Buffer.from(text, 'latin1');

// keyOf refuses what is no key: the server asks it too, and a driver asks again.
function keyOf(bytes) {
  const key = textOf(bytes);
  const segments = key.replace(/\/$/, '').split('/');
  const wrong = segments.some((s) => s === '' || s === '.' || s === '..') || key.includes('\0');
  if (wrong || key.length > KEY || !isUtf8(bytes)) throw fail('INVALID', { text: 'storage_key_invalid' });
  return key;
}

// spaceOf finds what a handle stands for. After a new start the server still
// has the old handles: this answer makes it open its configs again.
function spaceOf(handle) {
  const space = opened.get(handle);
  if (!space) throw fail('UNAVAILABLE', { provider_code: 'unknown_handle', retryable: true });
  return space;
}

function find(space, key) {
  const object = space.get(keyOf(key));
  if (!object) throw fail('NOT_FOUND');
  return object;
}

function put(space, key, content_type, data, mustBeNew) {
  if (mustBeNew && space.has(key)) throw fail('ALREADY_EXISTS');
  space.set(key, { key, content_type, data, etag: randomUUID(), mod_time_unix_ms: Date.now() });
  return entryOf(space.get(key));
}

const entryOf = ({ data, ...object }) => ({ ...object, key: bytesOf(object.key), size: data.length });

const calls = {
  Describe: () => ({
    name: 'nodemem', // also that of the program's file
    storage_type: 'NODEMEM',
    version: '1.0.0',
    label: { en: 'Memory (Node.js)', zh: '内存（Node.js）' },
    capabilities: ['STREAM', 'RANGE', 'SERVER_COPY', 'CONDITIONAL_PUT'],
    fields: [{ key: 'space', type: 'text', required: true, label: { en: 'Space', zh: '空间' } }],
  }),

  Open({ options }) {
    if (!/^[a-z]+$/.test(options.space ?? ''))
      throw fail('INVALID', {
        field: 'space',
        messages: { en: 'A space is named with small letters.', zh: '空间名称只能使用小写字母。' },
      });
    if (!spaces.has(options.space)) spaces.set(options.space, new Map());
    const handle = randomUUID();
    opened.set(handle, spaces.get(options.space));
    return { handle };
  },

  Close({ handle }) {
    opened.delete(handle);
    return {};
  },

  Stat: ({ handle, key }) => entryOf(find(spaceOf(handle), key)),

  Copy({ handle, source, destination }) {
    const space = spaceOf(handle);
    const { content_type, data } = find(space, source);
    return put(space, keyOf(destination), content_type, data, false);
  },

  // A key that is not there is no error; what is refused comes back by its key.
  Delete({ handle, keys }) {
    const space = spaceOf(handle);
    const failures = [];
    for (const key of keys) {
      try {
        space.delete(keyOf(key));
      } catch (e) {
        failures.push({ key, error: e.driver });
      }
    }
    return { failures };
  },

  // A page is in the order of the keys' bytes; keys below a delimiter fold into
  // one prefix. The token is the last name of the page before, with its kind.
  List({ handle, prefix, delimiter, token, limit }) {
    const space = spaceOf(handle);
    [prefix, delimiter, token] = [prefix, delimiter, token].map(textOf);
    const [kind, after] = [token.slice(0, 1), token.slice(1)];
    if (limit < 0 || limit > PAGE || (token && !(/[op]/.test(kind) && after)))
      throw fail('INVALID', { text: 'storage_list_invalid' });
    const page = { entries: [], prefixes: [], next: Buffer.alloc(0) };
    let last = kind === 'p' ? after : null; // prefix that is done
    let name = '';
    for (const key of [...space.keys()].sort((a, b) => (a < b ? -1 : 1))) {
      if (!key.startsWith(prefix) || key <= after || (last !== null && key.startsWith(last))) continue;
      if (page.entries.length + page.prefixes.length === (limit || PAGE)) {
        page.next = bytesOf(name);
        break;
      }
      const at = delimiter ? key.indexOf(delimiter, prefix.length) : -1;
      if (at < 0) {
        page.entries.push(entryOf(space.get(key)));
        name = 'o' + key;
      } else {
        last = key.slice(0, at + delimiter.length);
        page.prefixes.push(bytesOf(last));
        name = 'p' + last;
      }
    }
    return page;
  },

  // The head first, then the bytes; no more than the other end takes.
  async Read(call) {
    const { handle, key, offset: from, length: most, if_match } = call.request;
    const object = find(spaceOf(handle), key);
    const size = object.data.length;
    if (if_match && if_match !== object.etag) throw fail('PRECONDITION');
    const offset = from < 0 ? Math.max(0, size + from) : from;
    if (most < 0 || (offset >= size && (from !== 0 || most !== 0))) throw fail('RANGE_NOT_SATISFIABLE');
    const end = most > 0 ? Math.min(offset + most, size) : size;
    call.write({ head: { entry: entryOf(object), offset, length: end - offset } });
    for (let at = offset; at < end && !call.cancelled; at += CHUNK) {
      if (call.write({ chunk: object.data.subarray(at, Math.min(at + CHUNK, end)) })) continue;
      await new Promise((go) => call.once('drain', go).once('cancelled', go));
    }
    call.end();
  },

  // What is cut or of another length than announced is dropped.
  async Write(call) {
    let head;
    let ended = false;
    const chunks = [];
    for await (const frame of call) {
      if (frame.head) head = frame.head;
      else if (frame.chunk) chunks.push(frame.chunk);
      else ended = true;
    }
    const data = Buffer.concat(chunks); // a real storage takes it piece by piece
    if (!head || !ended || (head.size >= 0 && head.size !== data.length))
      throw fail('INVALID', { text: 'body_length' });
    const { content_type, if_none_match } = head;
    return { entry: put(spaceOf(head.handle), keyOf(head.key), content_type, data, if_none_match) };
  },
};

serve(calls);

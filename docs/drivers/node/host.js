'use strict';
// What every driver does, whatever it stores: the handshake, TLS, the services
// that the host asks for, and errors.
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');
const protobuf = require('protobufjs');
const selfsigned = require('selfsigned');

// The build puts the text of the three files into the program.
const root = new protobuf.Root();
for (const text of [require('./storage.proto'), require('./health.proto'), require('./plugin.proto')])
  protobuf.parse(text, root, { keepCase: true });
root.resolveAll();
const form = { keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true };
const services = grpc.loadPackageDefinition(loader.fromJSON(root.toJSON(), form));
const DriverError = root.lookupType('pasteport.storage.v1.DriverError');
const Status = root.lookupType('plugin.Status');

// fail makes an error of the protocol: status UNKNOWN, with a DriverError as
// the only detail of the google.rpc.Status in its trailer.
function fail(code, more) {
  const driver = DriverError.fromObject({ code, ...more });
  const type_url = 'type.googleapis.com/pasteport.storage.v1.DriverError';
  const details = [{ type_url, value: DriverError.encode(driver).finish() }];
  const status = { code: grpc.status.UNKNOWN, message: 'driver error', details };
  const metadata = new grpc.Metadata();
  metadata.set('grpc-status-details-bin', Buffer.from(Status.encode(status).finish()));
  return Object.assign(new Error(code), { driver, code: status.code, details: status.message, metadata });
}

// known passes errors of the protocol on; all others are faults of the driver.
function known(e) {
  if (e.driver) return e;
  console.error(JSON.stringify({ '@level': 'error', '@message': 'call failed', error: String(e.stack) }));
  return fail('INTERNAL', { message: String(e) });
}

const unary = (fn) => async (call, done) => {
  try {
    done(null, await fn(call.request));
  } catch (e) {
    done(known(e));
  }
};

// serve answers the host until it goes away.
async function serve({ Read, Write, ...calls }) {
  if (process.env.PASTEPORT_DRIVER !== '5d4f0c5e-storage-driver') {
    console.error('this program is a storage driver; the server starts it');
    process.exit(1);
  }
  process.on('SIGINT', () => {}); // of the terminal that the host runs in
  const host = Number(process.env.PASTEPORT_HOST_PID) || process.ppid;
  setInterval(() => process.ppid === host || process.exit(1), 1000);

  const server = new grpc.Server();
  server.addService(services.pasteport.storage.v1.StorageDriver.service, {
    ...Object.fromEntries(Object.entries(calls).map(([name, fn]) => [name, unary(fn)])),
    Read: (call) => Read(call).catch((e) => call.emit('error', known(e))),
    Write: (call, done) =>
      Write(call).then(
        (answer) => done(null, answer),
        (e) => done(known(e)),
      ),
  });
  server.addService(services.grpc.health.v1.Health.service, { Check: unary(() => ({ status: 'SERVING' })) });
  server.addService(services.plugin.GRPCStdio.service, { StreamStdio() {} });
  server.addService(services.plugin.GRPCController.service, {
    Shutdown(_, done) {
      done(null, {});
      setImmediate(() => process.exit(0));
    },
  });

  const own = await certificate();
  const pair = { private_key: Buffer.from(own.private), cert_chain: Buffer.from(own.cert) };
  const secure = grpc.ServerCredentials.createSsl(Buffer.from(process.env.PLUGIN_CLIENT_CERT), [pair], true);
  const socket = join(process.env.PLUGIN_UNIX_SOCKET_DIR || tmpdir(), `nodemem-${process.pid}`);
  server.bindAsync(`unix:${socket}`, secure, (err) => {
    if (err) throw err;
    const der = own.cert.replace(/-----[^-]+-----|\s|=/g, '');
    const line = ['1', '1', 'unix', socket, 'grpc', der];
    if (process.env.PLUGIN_MULTIPLEX_GRPC) line.push('false');
    process.stdout.write(line.join('|') + '\n');
  });
}

// certificate makes a key and a certificate for this run, which signs itself.
function certificate() {
  return selfsigned.generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + 30 * 365 * 24 * 3600 * 1000), // as long as a server may run
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
    ],
  });
}

module.exports = { fail, serve };

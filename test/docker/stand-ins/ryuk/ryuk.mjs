// Each line that a client sends is a filter. Ten seconds after the last client disconnects, all
// containers and networks that match a filter are removed.
import { request } from 'node:http';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';

const RECONNECTION_MS = 10_000;
const CONNECTION_MS = 60_000;

const labels = new Set();
let clients = 0;
let timer = setTimeout(() => void reap(), CONNECTION_MS);

createServer((socket) => void serve(socket)).listen(8080, () => console.log('Started'));

async function serve(socket) {
  clients += 1;
  clearTimeout(timer);
  socket.on('error', () => void socket.destroy());
  socket.on('close', () => {
    clients -= 1;
    if (clients === 0) timer = setTimeout(() => void reap(), RECONNECTION_MS);
  });
  for await (const line of createInterface({ input: socket })) {
    const label = new URLSearchParams(line).get('label');
    if (label !== null) labels.add(label);
    socket.write('ACK\n');
  }
}

async function reap() {
  for (const label of labels) {
    const filters = encodeURIComponent(JSON.stringify({ label: [label] }));
    for (const { Id } of await send('GET', `/containers/json?all=1&filters=${filters}`)) {
      // Its own container ends with this process.
      if (!Id.startsWith(hostname())) await send('DELETE', `/containers/${Id}?force=1&v=1`);
    }
    for (const { Id } of await send('GET', `/networks?filters=${filters}`)) {
      await send('DELETE', `/networks/${Id}`);
    }
  }
  process.exit(0);
}

function send(method, path) {
  return new Promise((resolve, reject) => {
    const options = { socketPath: '/var/run/docker.sock', method, path };
    const attempt = request(options, (response) => {
      if (method === 'GET') return resolve(json(response));
      response.resume();
      response.on('end', resolve);
    });
    attempt.on('error', reject);
    attempt.end();
  });
}

import { request as requestHttp } from 'node:http';
import type { RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';

type Input = { method?: string; headers?: Record<string, string>; body?: unknown };

/** Sends a request to a local stack server; the service's SSRF-guarded client refuses loopback. */
export async function requestJson(url: string, input: Input = {}) {
  const payload = input.body === undefined ? '' : JSON.stringify(input.body);
  const headers = { ...input.headers, 'content-type': 'application/json' };
  const response = await send(url, { method: input.method ?? 'GET', headers }, payload);
  return { status: response.status, body: parse(response.text) };
}

export async function requestText(url: string, options: RequestOptions = {}): Promise<string> {
  return (await send(url, options, '')).text;
}

function send(url: string, options: RequestOptions, payload: string) {
  const start = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const request = start(url, { ...options, timeout: 5000, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => void (text += chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on(
      'timeout',
      () => void request.destroy(new Error(`${new URL(url).host} did not respond within 5 s`)),
    );
    request.on('error', reject);
    request.end(payload);
  });
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeHTML } from 'entities';
import { findProgram } from '../../../../stack/find-program.mjs';
import { freePort } from '../../servers/free-port.ts';
import type { SigningPair } from './signing-pair.ts';

const HOME = '/usr/share/simplesamlphp';
const php = findProgram(['php'], process.env);
export const hasSimpleSaml = php !== null && existsSync(HOME);

/** SimpleSAMLphp as an identity provider with one user, whose name and password are `ada`. */
export interface SimpleSamlProvider {
  metadata_url: string;
  /** Makes a service provider known by its metadata; the provider replaces the earlier one. */
  trust(metadata: string): Promise<void>;
  /** Signs in as the person at the URL that carries our request. */
  signIn(url: string): Promise<PostedForm>;
  close(): Promise<void>;
}

/** The form that the provider's page posts by itself. */
export interface PostedForm {
  action: string;
  fields: Record<string, string>;
}

/** Starts SimpleSAMLphp on PHP's own web server, with a configuration of its own. */
export async function startSimpleSaml(
  pair: SigningPair,
  attributes: Record<string, string>,
): Promise<SimpleSamlProvider> {
  const folder = await mkdtemp(join(tmpdir(), 'simplesaml-'));
  const port = await freePort();
  const base = `http://127.0.0.1:${port}/`;
  const write = (name: string, variable: string, value: unknown) =>
    writeFile(join(folder, name), toPhp(variable, value));
  await Promise.all(['metadata', 'sessions'].map((name) => mkdir(join(folder, name))));
  await write('config.php', '$config', configuration(folder, base));
  await write('authsources.php', '$config', {
    people: { 0: 'exampleauth:UserPass', 'ada:ada': attributes },
  });
  await write('metadata/saml20-idp-hosted.php', "$metadata['__DYNAMIC:1__']", {
    host: '__DEFAULT__',
    privatekey: 'provider.key',
    certificate: 'provider.crt',
    auth: 'people',
    NameIDFormat: PERSISTENT,
    authproc: { 3: { class: 'saml:AttributeNameID', attribute: 'uid', Format: PERSISTENT } },
  });
  await writeFile(
    join(folder, SERVICE),
    '<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata"/>',
  );
  await writeFile(join(folder, 'provider.key'), pair.key);
  await writeFile(join(folder, 'provider.crt'), pair.certificate);
  return serve(folder, port, base);
}

const SERVICE = 'metadata/service.xml';
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

async function serve(folder: string, port: number, base: string): Promise<SimpleSamlProvider> {
  const server = spawn(php!, ['-S', `127.0.0.1:${port}`, '-t', join(HOME, 'www')], {
    env: { ...process.env, SIMPLESAMLPHP_CONFIG_DIR: folder },
    stdio: 'ignore',
  });
  const metadata_url = `${base}saml2/idp/metadata.php`;
  while (!(await isUp(metadata_url)) && server.exitCode === null) await sleep(50);
  return {
    metadata_url,
    trust: (metadata) => writeFile(join(folder, SERVICE), metadata),
    signIn,
    async close() {
      server.kill();
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}

async function signIn(url: string): Promise<PostedForm> {
  const browse = createBrowser();
  const login = await browse(url);
  const { fields } = readForm(await login.text());
  const body = new URLSearchParams({ ...fields, username: 'ada', password: 'ada' });
  const signedIn = await browse(login.url, { method: 'POST', body });
  return readForm(await signedIn.text());
}

/** Fetches with cookies, and follows redirects. */
function createBrowser() {
  const cookies = new Map<string, string>();
  return async function browse(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, { ...init, headers: { cookie }, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]*)=([^;]*)/.exec(set)!;
      cookies.set(name!, value!);
    }
    const location = response.headers.get('location');
    return location === null ? response : browse(new URL(location, url).href);
  };
}

function readForm(html: string): PostedForm {
  const attribute = (tag: string, name: string) =>
    decodeHTML(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
  const inputs = [...html.matchAll(/<input[^>]*>/g)].map(([tag]) => tag);
  return {
    action: attribute(/<form[^>]*>/.exec(html)?.[0] ?? '', 'action'),
    fields: Object.fromEntries(
      inputs.map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')]),
    ),
  };
}

const isUp = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

const configuration = (folder: string, base: string) => ({
  baseurlpath: base,
  certdir: `${folder}/`,
  datadir: `${folder}/`,
  tempdir: `${folder}/`,
  metadatadir: `${folder}/metadata/`,
  attributenamemapdir: join(HOME, 'attributemap/'),
  secretsalt: 'of a test',
  'auth.adminpassword': 'of a test',
  'logging.handler': 'errorlog',
  'enable.saml20-idp': true,
  'module.enable': { exampleauth: true, core: true, saml: true },
  'session.cookie.secure': false,
  'session.cookie.samesite': 'Lax',
  'session.phpsession.savepath': join(folder, 'sessions'),
  'store.type': 'phpsession',
  'language.cookie.secure': false,
  'language.cookie.samesite': 'Lax',
  'trusted.url.domains': null,
  'metadata.sources': [{ type: 'flatfile' }, { type: 'xml', file: join(folder, SERVICE) }],
});

/** PHP reads its configuration as code; JSON in a quoted string needs two escapes. */
const toPhp = (variable: string, value: unknown) =>
  `<?php ${variable} = json_decode('${JSON.stringify(value).replaceAll(/[\\']/g, '\\$&')}', true);`;

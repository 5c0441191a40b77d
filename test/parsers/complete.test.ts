import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { INSIDE } from '../../package/bundle.ts'
import about from '../../package.json' with { type: 'json' }
import { PARSERS } from './parsers.ts'

const SRC = join(import.meta.dirname, '../../src')

/** Programs of their own, which read what their user gives them. */
const PROGRAMS = ['agent/**', 'bulk/**', 'demo/**']

/** Libraries that read text of others. Each file that imports one has a row in PARSERS, or a reason here. */
const LIBRARIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '@fastify/busboy': {
    'http/body/multipart.ts': 'doors.run.ts; each piece of a form has its turn',
  },
  '@handlebars/parser': {},
  '@modelcontextprotocol/server': {
    'protocols/mcp/server.ts': 'doors.run.ts',
    'protocols/mcp/template-tools.ts': 'doors.run.ts',
  },
  '@simplewebauthn/server': {
    'engine/auth/webauthn.ts': 'bodies of at most 100 kB, the slowest of which takes 14 ms',
  },
  croner: {},
  'eventsource-parser': {},
  'file-type': {},

  jose: {
    'engine/auth/oauth2/read-provider-profile.ts': 'answers of providers, which superusers chose',
    'engine/auth/oauth2/apple-secret.ts': 'keys of superusers',
    'protocols/smsgate-api/signed-token.ts': 'tokens in heads, as engine/auth/tokens.ts',
    'protocols/smsgate-api/token-pairs.ts': 'signs tokens, reads none',
  },
  'libphonenumber-js': {
    'portable/phone/numbering-plans.ts': 'behind portable/phone/read-phone.ts',
  },
  papaparse: {},
  parse5: {
    'protocols/smtp/html-text.ts': 'in the thread of mails',
    'protocols/smtp/visible-elements.ts': 'types alone',
  },
  peggy: { 'engine/filter/filter-grammar.ts': 'behind engine/filter/parse-filter.ts' },
  'postal-mime': { 'protocols/smtp/mail-parts.ts': 'in the thread of mails' },
  re2js: {},
  s3mini: { 'engine/backup/s3-storage.ts': 'answers of the storage that superusers chose' },
  saxes: {},
  sharp: { 'engine/files/make-thumbnail.ts': 'in threads of libuv, two at once' },
  'smtp-server': {
    'protocols/smtp/listen-for-mails.ts': 'lines of commands, which the library bounds',
    'protocols/smtp/receive-mail.ts': 'types alone',
  },
  'web-push': { 'gateway/lines/web-push.ts': 'doors.run.ts: PUT /api/devices/push' },
  yauzl: { 'engine/backup/read-archive.ts': 'backups that superusers upload' },
}
const NO_PARSERS = [
  ...[
    '@hono/node-server',
    'hono',
    'bcrypt',
    'citty',
    'kysely',
    'nodemailer',
    'pg',
    'pino',
    'prom-client',
    'smpp',
    'uqr',
  ],
  ...['yazl', 'zod', 'zod-openapi'],
]

test('every library of the server is listed as reading foreign text or as not reading it', () => {
  const known = [...Object.keys(LIBRARIES), ...NO_PARSERS]
  const all = [...Object.keys(about.dependencies), ...INSIDE]
  expect(all.filter((name) => !known.includes(name))).toEqual([])
})

test('every file that reads text of others by a library is fed with hostile text, or says why not', () => {
  const rows = new Set(PARSERS.map(({ file }) => file))
  const imported = (source: string) =>
    [...source.matchAll(/(?:from|import\() ?'([^'.][^']*)'/g)].map(([, name]) => name!)
  const missing = globSync('**/*.ts', { cwd: SRC, exclude: PROGRAMS }).flatMap((file) => {
    const names = imported(readFileSync(join(SRC, file), 'utf8'))
    return names
      .filter((name) => name in LIBRARIES)
      .filter((name) => !rows.has(file) && !(file in LIBRARIES[name]!))
      .map((name) => `${file}: ${name}`)
  })
  expect(missing).toEqual([])
})

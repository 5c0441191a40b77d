import { type Attack, type AttackRun, byGuest, byUser } from './attack.ts'
import { flood, head, query, rawFlood } from './sockets.ts'

// JSON that takes a parser, a checker or the memory long.

const join = (count: number, partOf: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => partOf(i)).join(',')
/** The same item again and again, with commas. */
const items = (bytes: number, item: string) =>
  `${`${item},`.repeat(bytes / (item.length + 1))}${item}`

/** Bombs of about so many bytes, by what is wrong with them. */
const BOMBS: Readonly<Record<string, (bytes: number) => string>> = {
  'deep lists': (bytes) => `{"data":${'['.repeat(bytes)}`,
  'deep lists, closed': (bytes) => `{"data":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`,
  'deep objects': (bytes) => '{"a":'.repeat(bytes / 5),
  'many keys': (bytes) => `{${join(bytes / 12, (i) => `"k${i}":1`)}}`,
  'many keys, one level down': (bytes) => `{"data":{${join(bytes / 12, (i) => `"k${i}":1`)}}}`,
  'the same key': (bytes) => `{${items(bytes, '"data":1')}}`,
  'a long list': (bytes) => `{"data":[${items(bytes, '1')}]}`,
  'a long list of lists': (bytes) => `{"data":[${items(bytes, '[]')}]}`,
  'a huge number': (bytes) => `{"data":[1e309,${items(bytes, '1')}]}`,
  'large numbers': (bytes) => `{"data":[${items(bytes, '1e308')}]}`,
  'one long number': (bytes) => `{"data":${'9'.repeat(bytes)}}`,
  escapes: (bytes) => `{"title":"${'\\u0000'.repeat(bytes / 6)}"}`,
  backslashes: (bytes) => `{"title":"${'\\\\'.repeat(bytes / 2)}"}`,
  'an open text': (bytes) => `{"title":"${'\\"'.repeat(bytes / 2)}`,
  blanks: (bytes) => `${' '.repeat(bytes)}{}`,
}
const MAKERS = Object.values(BOMBS)

const GUEST_PATHS = [
  '/api/collections/users/auth-with-password',
  '/api/batch',
  '/api/realtime',
  '/api/devices/pair',
  '/api/collections/boards/records',
  '/api/collections/clients/records',
  '/api/collections/clients/request-otp',
]
const USER_PATHS = [
  '/api/collections/contacts/records',
  '/api/batch',
  '/api/sms/send',
  '/api/sms/preview',
  '/api/collections/sms_templates/records',
  '/api/devices/pairing',
  '/api/realtime',
]

/** All bombs of a size at all paths, in turn. */
function throwBombs(
  run: AttackRun,
  connections: number,
  bytes: number,
  paths: readonly string[],
  headers = {},
) {
  const made: Buffer[] = []
  const bomb = (i: number) => {
    made[i] ??= Buffer.from(MAKERS[i]!(bytes))
    return made[i]
  }
  return flood(run, connections, (turn) => ({
    path: paths[turn % paths.length]!,
    body: bomb(turn % MAKERS.length),
    headers,
  }))
}

export const json: readonly Attack[] = [
  byGuest('JSON bombs of 60 kB from a guest', (run) => throwBombs(run, 4, 60_000, GUEST_PATHS)),
  byGuest('JSON bombs of 1 MB where guests write', { isShort: true }, (run) =>
    throwBombs(run, 4, 1_000_000, ['/api/collections/boards/records', '/api/batch']),
  ),
  // with their length told, the server refuses them unread
  byGuest('JSON bombs of 31 MB in chunks from a guest', (run) =>
    throwBombs(run, 3, 31_000_000, GUEST_PATHS, { 'transfer-encoding': 'chunked' }),
  ),
  byUser('JSON bombs of 1 MB from a user', (run) => throwBombs(run, 4, 1_000_000, USER_PATHS)),
  byUser('JSON bombs of 31 MB from a user', { isShort: true }, (run) =>
    throwBombs(run, 3, 31_000_000, USER_PATHS),
  ),
]

// Texts that take regular expressions long which are not linear, wherever a server may look at text.

const LENGTH = 3_000
const times = (text: string, count = LENGTH) =>
  text.repeat(Math.ceil(count / text.length)).slice(0, count)

/** Each ends in what lets a match fail late. */
const BAIT = [
  `${times('1')}a`,
  `${times(' ')}x`,
  `${times('\t')}x`,
  `${times('a')}!`,
  `${times('a.')}@`,
  `${times('"\\')}x`,
  times('"'),
  times("'\\"),
  `${times('(')}1`,
  `${times('<')}x`,
  `${times('<a ')}x`,
  `${times('a,')};`,
  `${times('-1')}e`,
  times('%'),
  times('{{a'),
  times('0:'),
  `${times('=')}x`,
  `${times('a@a.')}@`,
  `${times('é')}!`,
]

const HEADERS = [
  'user-agent',
  'cookie',
  'authorization',
  'accept',
  'accept-language',
  'accept-encoding',
  'if-none-match',
  'if-modified-since',
  'range',
  'origin',
  'referer',
  'x-forwarded-for',
  'x-api-key',
  'x-token',
  'idempotency-key',
  'content-type',
]
/** What has some sense to a parser of a header. */
const HEADER_BAIT = [
  `Bearer ${times(' ', 12_000)}x`,
  `bytes=${times('0-0,', 12_000)}x`,
  `${times('W/"a",', 12_000)}x`,
  `${times('a/b;q=0.1,', 12_000)}x`,
  `multipart/form-data; boundary="${times('\\"', 12_000)}`,
  `${times('1.2.3.4, ', 12_000)}x`,
  `${times('a=b; ', 12_000)}=`,
  `${times('1', 12_000)}a`,
  `${times(' ', 12_000)}x`,
  `${times('eyJ.', 12_000)}x`,
]

const PARAMETERS = [
  'filter',
  'sort',
  'fields',
  'expand',
  'page',
  'thumb',
  'token',
  'download',
  'skipTotal',
]
const PLACES = [
  '/api/collections/boards/records',
  '/api/collections/contacts/records',
  '/api/collections/sms_messages/records/abc',
  '/api/collections/contacts/export',
  '/api/files/boards/abc/abc.png',
  '/api/realtime',
]

export const bait: readonly Attack[] = [
  byGuest('long digits in a path', { isShort: true }, (run) =>
    rawFlood(run, 4, () => head('GET', `/${times('1', 16_100)}a`).repeat(10), 300),
  ),
  byGuest('other bait in a path', (run) =>
    flood(run, 2, (turn) => {
      const text = encodeURIComponent(BAIT[turn % BAIT.length]!)
        .slice(0, 14_000)
        .replace(/%.?$/, '')
      const places = [`/${text}`, `/api/collections/${text}/records`, `/api/files/boards/a/${text}`]
      return { path: places[turn % places.length]! }
    }),
  ),
  byGuest('bait in headers', (run) =>
    flood(run, 2, (turn) => ({
      path: PLACES[turn % PLACES.length]!,
      headers: {
        [HEADERS[turn % HEADERS.length]!]:
          HEADER_BAIT[Math.floor(turn / HEADERS.length) % HEADER_BAIT.length]!,
      },
    })),
  ),
  byGuest('bait in parameters', (run) =>
    flood(run, 2, (turn) => {
      const text = BAIT[turn % BAIT.length]!.slice(0, 1_600)
      const name = PARAMETERS[Math.floor(turn / BAIT.length) % PARAMETERS.length]!
      return { path: `${PLACES[turn % PLACES.length]}?${query({ [name]: text })}` }
    }),
  ),
  byGuest('bait in JSON fields', (run) =>
    flood(run, 2, (turn) => {
      const text = times(BAIT[turn % BAIT.length]!, 14_000)
      const bodies = [
        ['/api/collections/users/auth-with-password', { identity: text, password: text }],
        [
          '/api/collections/clients/records',
          { email: text, name: text, password: 'x', passwordConfirm: 'x' },
        ],
        ['/api/collections/boards/records', { title: text, link: text, day: text, email: text }],
        ['/api/realtime', { clientId: text, subscriptions: [text] }],
        ['/api/devices/pair', { code: text, platform: text, phone: text }],
      ] as const
      const [path, body] = bodies[turn % bodies.length]!
      return { path, body: JSON.stringify(body) }
    }),
  ),
]

import { type Attack, byGuest } from './attack.ts'
import { flood, query } from './flood.ts'
import { head, rawFlood } from './sockets.ts'

// Texts that take regular expressions long which are not linear, wherever a server may look at text.

const LENGTH = 3_000
const times = (text: string, count = LENGTH) => text.repeat(Math.ceil(count / text.length)).slice(0, count)

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

const PARAMETERS = ['filter', 'sort', 'fields', 'expand', 'page', 'thumb', 'token', 'download', 'skipTotal']
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

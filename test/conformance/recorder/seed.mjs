// Hand-written cases: the one place where the project departs from PocketBase on purpose.
import fs from 'node:fs'
import path from 'node:path'
import { EXPIRED } from './defs/auth.mjs'

const out = process.argv[2]
const ids = JSON.parse(process.argv[3] || '{}')
const expect = {
  status: 401,
  contains: { error: 'unauthorized', message: 'Authentication required', status: 401, data: {} },
}
const rows = [
  ['GET', '/api/collections/sms_messages/records', {}, 'list without credentials'],
  ['GET', '/api/collections/sms_messages/records', { authorization: 'garbage' }, 'list with a garbage token'],
  [
    'GET',
    '/api/collections/sms_messages/records?filter=status%3D%22sent%22&sort=-created&perPage=5',
    { authorization: `Bearer ${EXPIRED}` },
    'list with an expired token',
  ],
  [
    'GET',
    '/api/collections/sms_messages/records?page=x',
    {},
    'list without credentials: the parameters are not looked at',
  ],
  ['GET', `/api/collections/sms_messages/records/${ids.message}`, {}, 'view without credentials'],
  [
    'GET',
    `/api/collections/sms_messages/records/${ids.message}`,
    { authorization: EXPIRED },
    'view with an expired token',
  ],
  [
    'GET',
    '/api/collections/sms_messages/records/nonexistent0000',
    { authorization: 'Bearer a.b.c' },
    'view of an unknown id with a garbage token',
  ],
]
fs.writeFileSync(
  path.join(out, 'cases', 'sms_auth.jsonl'),
  `${rows.map(([method, p, headers, why], i) => JSON.stringify({ id: `sms_auth-${String(i + 1).padStart(4, '0')}`, as: 'guest', method, path: p, ...(Object.keys(headers).length ? { headers } : {}), expect, tags: ['seed'], why })).join('\n')}\n`,
)

import { findDiskWarning } from '../../../src/http/metrics/disk.ts'
import { type Client, must } from '../../support/server/server-with-devices.ts'
import { mms, mmsPoster } from '../../support/smsgate/mms.ts'
import { joinPhone, startSmsgateFixture } from '../../support/smsgate/smsgate-fixture.ts'

const MAX_BYTES = 2 << 20
const fixture = await startSmsgateFixture({ MAX_ACCOUNT_FILE_BYTES: String(MAX_BYTES) })
const { gateway } = fixture
const [shop, other] = [await gateway.makeUser(), await gateway.makeUser()]
const owner = 'user = @request.auth.id'
await must(gateway.superuser, 'POST', '/api/collections', {
  name: 'papers',
  type: 'base',
  fields: [
    { name: 'user', type: 'relation', collectionId: '_pb_users_auth_', maxSelect: 1 },
    { name: 'file', type: 'file', maxSelect: 1 },
  ],
  listRule: owner,
  viewRule: owner,
  createRule: owner,
  updateRule: owner,
  deleteRule: owner,
})
const PAPERS = '/api/collections/papers/records'

let uploads = 0
/** Uploads a file whose content no other has: those of equal content count once. */
async function upload({ id, token }: Client, bytes: number): Promise<number> {
  const body = new FormData()
  body.set('user', id)
  body.set('file', new Blob([Buffer.alloc(bytes, `${uploads++} x`)]), 'paper.txt')
  const headers = { authorization: token }
  const answer = await fetch(`${gateway.url}${PAPERS}`, { method: 'POST', headers, body })
  const { message } = (await answer.json()) as { message?: string }
  if (answer.status === 413)
    expect(message).toBe('This account may store 2 MiB of files. Delete some first.')
  return answer.status
}
const files = async (who: Client) => (await must(who, 'GET', '/api/sms/usage')).files

test("concurrent uploads cannot exceed an account's file storage, and deleting frees it", async () => {
  const statuses = await Promise.all(Array.from({ length: 10 }, () => upload(shop, 500_000)))
  expect(statuses.toSorted()).toEqual([...Array(4).fill(200), ...Array(6).fill(413)])
  expect(await files(shop)).toEqual({ bytes: 2_000_000, limit: MAX_BYTES })
  const { items, totalItems } = await must(shop, 'GET', PAPERS)
  expect(totalItems).toBe(4)
  // others, and superusers, go on
  expect(await upload(other, 500_000)).toBe(200)
  expect(await upload({ ...gateway.superuser, id: shop.id }, 500_000)).toBe(200)

  await must(shop, 'DELETE', `${PAPERS}/${items[0].id}`)
  expect(await upload(shop, 500_000)).toBe(200)
  // a small file takes a block
  expect(await upload(shop, 1)).toBe(200)
  expect(await files(shop)).toEqual({ bytes: 2_004_096, limit: MAX_BYTES })
})

test('a picture above the storage limit is left out of its message, whose text says so', async () => {
  const phone = await joinPhone(fixture, shop)
  const post = await mmsPoster(phone)
  const payload = mms([['beach.png', Buffer.alloc(300_000, 'beach'), 'image/png']])
  for (const _ of [1, 2]) expect(await post(payload)).toBe(204)
  const filter = encodeURIComponent(`from = "${payload.sender}"`)
  const { items } = await must(
    shop,
    'GET',
    `/api/collections/sms_messages/records?filter=${filter}`,
  )
  const body = 'Look!\nAttachment left out: beach.png image/png 300000 bytes'
  expect(items).toMatchObject([{ body, attachments: [] }])
  expect(items.length).toBe(1)
})

const GIB = 2 ** 30
test.each<[what: string, free: number, total: number, said: string]>([
  ['less than a tenth', 9 * GIB, 100 * GIB, '9216 MiB (9 %)'],
  ['less than 1 GiB', GIB - 1, 2 * GIB, '1023 MiB (49 %)'],
])('a disk with %s free causes a warning: $3', (_, free, total, said) => {
  expect(findDiskWarning({ free, total })).toContain(said)
})

test('a disk with a fifth free causes no warning', () => {
  expect(findDiskWarning({ free: 20 * GIB, total: 100 * GIB })).toBeUndefined()
})

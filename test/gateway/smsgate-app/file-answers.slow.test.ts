import { records, startSmsgateFixture, until } from '../../support/smsgate/smsgate-fixture.ts'
import { joinMmsPhone, MB, makeFileSender } from './file-fixture.ts'

const FILES = 6
const fixture = await startSmsgateFixture({ SMS_MMS_MAX_BYTES: String(2 * MB) })
const { gateway } = fixture
const sendFile = makeFileSender(gateway.url)

test('a phone gets many files by several answers, long before a lease of six minutes ends', {
  timeout: 100_000,
}, async () => {
  const user = await gateway.makeUser()
  const phone = await joinMmsPhone(fixture, user, '1.75.0')
  for (let i = 0; i < FILES; i++) await sendFile(user, i, MB)
  const fetched: number[] = []
  const call = phone.call.bind(phone)
  phone.call = async (...given) => {
    const answer = await call(...given)
    if (given[1].startsWith('/message?')) fetched.push(answer.body?.length ?? 0)
    return answer
  }
  phone.start()
  await until(async () => (await records(user, 'status = "sent"')).length === FILES)
  expect(Math.max(...fetched)).toBe(4)
  expect(phone.store.onAir()).toHaveLength(FILES)
  expect(phone.faults).toEqual([])
  phone.kill()
})

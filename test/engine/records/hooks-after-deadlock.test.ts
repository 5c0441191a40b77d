import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const server = await startServerWithDevices()
const KEYS = '/api/collections/api_keys/records'

test('a key that is rotated in a deadlock has its new secret after the repetition', async () => {
  const user = await server.makeUser()
  const { id, key } = await must(user, 'POST', KEYS, { user: user.id, name: 'shop' })
  // the first update of a key is the victim of a deadlock; a sequence does not roll back
  await server.query('create sequence deadlocks')
  await server.query(`create function fail_once() returns trigger language plpgsql as $$
    begin
      if nextval('deadlocks') = 1 then raise exception 'deadlock' using errcode = '40P01'; end if;
      return new;
    end $$`)
  await server.query(
    'create trigger fail_once after update on api_keys for each row execute function fail_once()',
  )
  const rotated = await must(user, 'PATCH', `${KEYS}/${id}`, { prefix: '' })
  expect((await server.query('select last_value from deadlocks'))[0]).toEqual([2])
  expect(rotated.key).toMatch(/^psk_/)
  expect(rotated.key).not.toBe(key)
  expect(rotated.key.startsWith(rotated.prefix)).toBe(true)
})

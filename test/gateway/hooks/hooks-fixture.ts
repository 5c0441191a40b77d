import type { Logger } from '../../../src/platform/log.ts'
import { type Client, startServerWithDevices } from '../../support/server/server-with-devices.ts'

export const TO = '+4915112345678'
export const records = (name: string) => `/api/collections/${name}/records`

/** A server with hooks of two accounts, `alice` and `bob`, each with a phone. */
export async function startHooksFixture(log?: Logger) {
  const server = await startServerWithDevices({}, log)
  const { guest, query } = server
  const [alice, bob] = [await server.makeUser(), await server.makeUser()]
  async function made(who: Client, collection: string, values: object) {
    const { status, body } = await who.call('POST', records(collection), {
      user: who.id,
      ...values,
    })
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  await server.pair(alice)
  await server.pair(bob)
  await made(bob, 'contact_groups', { name: 'Their group' })
  return {
    ...server,
    alice,
    bob,
    made,
    hookOf: (who: Client, values: object = {}) =>
      made(who, 'hooks', { name: 'Alarm', preset: 'text', recipients: [TO], ...values }),
    post: (hook: { secret: string }, body: unknown) =>
      guest.call('POST', `/api/hooks/${hook.secret}`, body),
    textsBy: async (hook: { id: string }) =>
      (
        await query('select body from sms_messages where sent_by = $1 order by _rowid', [hook.id])
      ).map(([text]) => text),
    callsOf: async (who: Client, hook: { id: string }) =>
      (await who.call('GET', `${records('hook_calls')}?filter=hook="${hook.id}"&sort=-@rowid`)).body
        .items,
    remove: (who: Client, hook: { id: string }) =>
      who.call('DELETE', `${records('hooks')}/${hook.id}`),
  }
}

/** A body of Alertmanager with one alert. */
export const alertmanager = (status: string, startsAt = '2026-11-23T16:00:00Z') => ({
  status,
  alerts: [
    { status, labels: { alertname: 'DiskFull' }, annotations: {}, fingerprint: 'f', startsAt },
  ],
})

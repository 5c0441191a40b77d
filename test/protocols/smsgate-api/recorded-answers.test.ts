import {
  recordAnswers,
  reportAs,
  STOPPED,
  type Step,
  signInByKey,
  startPlace,
} from '../../support/server/recorder.ts'

const text = (more: object = {}) => ({
  textMessage: { text: 'Hello' },
  phoneNumbers: ['+4915111111111'],
  ...more,
})
const three = text({ phoneNumbers: ['+4915111111111', '+4915111111112', '+4915111111113'] })
const send = (title: string, body: unknown, more: Partial<Step> = {}): Step => ({
  title,
  method: 'POST',
  path: '/messages',
  body,
  ...more,
})
const get = (title: string, path: string, more: Partial<Step> = {}): Step => ({
  title,
  method: 'GET',
  path,
  ...more,
})
const once = { 'idempotency-key': 'key one' }

const STEPS: readonly Step[] = [
  send('a text', text(), { keep: 'one' }),
  send('a text to three', three, { keep: 'three' }),
  send('an id of the client', text({ id: 'my-id-1' })),
  send('the id again', text({ id: 'my-id-1' })),
  send('a device', text({ deviceId: '{phone}' }), { keep: 'named' }),
  send('a device that is off', text({ deviceId: '{other}' }), { keep: 'waits' }),
  send('a device of nobody', text({ deviceId: 'nobodysdevice12' })),
  send('a SIM of the device', text({ deviceId: '{phone}', simNumber: 1 })),
  send('a SIM that the device lacks', text({ deviceId: '{phone}', simNumber: 3 })),
  send('a SIM of any device', text({ simNumber: 1 })),
  send('a SIM that no device has', text({ simNumber: 3 })),
  send('a time to live', text({ ttl: 3_600 })),
  send('an end in the past', text({ validUntil: '2020-01-01T00:00:00Z' })),
  send('a time', text({ scheduleAt: '2099-01-01T00:00:00Z' }), { keep: 'later' }),
  send('a priority', text({ priority: 100, withDeliveryReport: true })),
  send('no delivery report', text({ withDeliveryReport: false })),
  send('an encrypted text', text({ isEncrypted: true })),
  send('a key', text(), { headers: once }),
  send('the key again', text(), { headers: once }),
  send('the key with another text', three, { headers: once }),
  send('no number', text({ phoneNumbers: [] })),
  send('a wrong number', text({ phoneNumbers: ['12'] })),
  send('a national number', text({ phoneNumbers: ['0151 11111111'] })),
  send('a number twice', text({ phoneNumbers: ['+4915111111111', '+4915111111111'] })),
  send('no text', text({ textMessage: { text: '' } })),
  send('a long text', text({ textMessage: { text: 'a'.repeat(1_601) } })),
  send('a long text of 1,600', text({ textMessage: { text: 'a'.repeat(1_600) } }), {
    keep: 'long',
  }),
  send('the old form', { message: 'Hello', phoneNumbers: ['+4915111111111'] }),
  send('a binary text', {
    dataMessage: { data: 'AA==', port: 1 },
    phoneNumbers: ['+4915111111111'],
  }),
  send('no JSON', '{'),
  send('a person who has opted out', text({ phoneNumbers: [STOPPED] }), { keep: 'stopped' }),
  send(
    'a person who has opted out, and another',
    text({ phoneNumbers: [STOPPED, '+4915111111111'] }),
  ),
  send('a device that was active', text({ deviceId: '{phone}' }), {
    path: '/messages?deviceActiveWithin=1',
  }),
  send('a device that was never active', text({ deviceId: '{other}' }), {
    path: '/messages?deviceActiveWithin=1',
  }),
  send('a wrong period', text(), { path: '/messages?deviceActiveWithin=-1' }),
  send('the other path', text(), { path: '/message?skipPhoneValidation=true' }),
  send('nobody', text(), { as: 'nobody' }),
  send('a wrong key', text(), { as: 'wrong' }),
  send('a key that only reads', text(), { as: 'narrow' }),
  send('a key in Bearer', text(), { as: 'bearer' }),
  send('a number outside the bounds of the key', text({ phoneNumbers: ['+33612345678'] }), {
    as: 'bounded',
  }),
  send('an account without a device', text(), { as: 'idle' }),
  send('the last text of a quota', text(), { as: 'poor' }),
  send('a text beyond the quota', text(), { as: 'poor' }),
  {
    title: 'a pair of tokens',
    method: 'POST',
    path: '/auth/token',
    body: { scopes: ['messages:send', 'messages:read'], ttl: 600 },
  },
  send('a token', text(), { as: 'issued', keep: 'tokens' }),
  get('a list without the scope', '/messages', { as: 'issued' }),
  get('a text that waits', '/messages/{one}'),
  get('a text by a token', '/messages/{tokens}', { as: 'issued' }),
  get('three texts that wait', '/messages/{three}'),
  get('a text that waits for its device', '/messages/{waits}'),
  get('a text that waits for its time', '/messages/{later}'),
  get('a text that cannot be sent', '/messages/{stopped}'),
  get('a text of the client', '/messages/my-id-1'),
  get('a text of nobody', '/messages/nobodysmessage1'),
  get('a text of another account', '/messages/{one}', { as: 'idle' }),
  get('a text of another key', '/messages/{one}', { as: 'narrow' }),
  { title: 'cancel', method: 'DELETE', path: '/messages/{later}' },
  { title: 'cancel again', method: 'DELETE', path: '/messages/{later}' },
  get('three texts that were sent', '/messages/{three}', { before: reportAs('sent') }),
  get('a text that was sent', '/messages/{one}'),
  { title: 'cancel what was sent', method: 'DELETE', path: '/messages/{one}' },
  send('another text to three', three, { keep: 'delivered' }),
  get('three texts that were delivered', '/messages/{delivered}', {
    before: reportAs('sent', 'delivered'),
  }),
  send('a third text to three', three, { keep: 'failed' }),
  get('three texts that failed', '/messages/{failed}', { before: reportAs('failed') }),
  get('a list', '/messages?limit=5'),
  get('the next page', '/messages?limit=5&offset=5&sort=created_at'),
  get('a list with texts', '/messages?limit=2&includeContent=true'),
  get('a list of a state', '/messages?state=Failed'),
  get('a list of a device', '/messages?deviceId={other}'),
  get('a list of a wrong state', '/messages?state=Lost'),
  get('a list of a period', '/messages?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z'),
  get('devices', '/devices'),
  get('incoming texts', '/inbox?limit=1'),
  get('settings', '/settings'),
]

test("SMSGate's API answers each byte as it was recorded", { timeout: 60_000 }, async () => {
  const answers = await recordAnswers(await startPlace(), '/api/3rdparty/v1', signInByKey, STEPS)
  await expect(answers).toMatchFileSnapshot('recorded-answers.txt')
})

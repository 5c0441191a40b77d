import {
  nameOf,
  recordAnswers,
  reportAs,
  type SignIn,
  STOPPED,
  type Step,
  startPlace,
} from '../../support/server/recorder.ts'

const signIn: SignIn = (values, as) => {
  if (as === 'nobody') return {} as Record<string, string>
  return {
    'x-api-key': `${values[`key ${nameOf(as === 'wrong' ? undefined : as)}`]}${as === 'wrong' ? 'x' : ''}`,
  }
}

const TEXT = { recipients: ['+4915111111111'], body: 'Hello' }
const send = (title: string, body: unknown, more: Partial<Step> = {}): Step => ({
  title,
  method: 'POST',
  path: '/sms/send',
  body,
  ...more,
})
const get = (title: string, path: string, more: Partial<Step> = {}): Step => ({
  title,
  method: 'GET',
  path,
  ...more,
})
const byTemplate = { path: '/sms/send-template' }
const once = { 'idempotency-key': 'key one' }

const STEPS: readonly Step[] = [
  send('a text', TEXT, { keep: 'one' }),
  send(
    'a text to two',
    { ...TEXT, recipients: ['+4915111111111', '+4915111111112'] },
    { keep: 'batch' },
  ),
  send('a group', { group_ids: ['{group}'], body: 'Hello' }, { keep: 'group text' }),
  send('a group of nobody', { group_ids: ['nobodysgroup123'], body: 'Hello' }),
  send('a device', { ...TEXT, device_id: '{phone}' }),
  send('a device that is off', { ...TEXT, device_id: '{other}' }),
  send('a device of nobody', { ...TEXT, device_id: 'nobodysdevice12' }),
  send('an unknown field', { ...TEXT, unknown: 1 }),
  send('no number', { body: 'Hello' }),
  send('no numbers', { recipients: [], body: 'Hello' }),
  send('a wrong number', { ...TEXT, recipients: ['12'] }),
  send('a national number', { ...TEXT, recipients: ['0151 11111111'] }),
  send('no text', { recipients: TEXT.recipients }),
  send('an empty text', { ...TEXT, body: '' }),
  send('a long text', { ...TEXT, body: 'a'.repeat(1_601) }),
  send('no JSON', '{'),
  send('a person who has opted out', { ...TEXT, recipients: [STOPPED] }, { keep: 'stopped' }),
  send('a key', TEXT, { headers: once }),
  send('the key again', TEXT, { headers: once }),
  send('the key with another text', { ...TEXT, body: 'Other' }, { headers: once }),
  send('nobody', TEXT, { as: 'nobody' }),
  send('a wrong key', TEXT, { as: 'wrong' }),
  send('a key that only reads', TEXT, { as: 'narrow' }),
  send(
    'a number outside the bounds of the key',
    { ...TEXT, recipients: ['+33612345678'] },
    { as: 'bounded' },
  ),
  send('an account without a device', TEXT, { as: 'idle' }),
  send('the last text of a quota', TEXT, { as: 'poor' }),
  send('a text beyond the quota', TEXT, { as: 'poor' }),
  send(
    'a template',
    { recipients: TEXT.recipients, template_id: '{template}', variables: { name: 'Bob' } },
    byTemplate,
  ),
  send(
    'a template of nobody',
    { recipients: TEXT.recipients, template_id: 'nobodystemplat1' },
    byTemplate,
  ),
  send('a template for a group', { group_ids: ['{group}'], template_id: '{template}' }, byTemplate),
  get('a text that waits', '/sms/status/{one}'),
  get('a text that cannot be sent', '/sms/status/{stopped}'),
  get('a text of nobody', '/sms/status/nobodysmessage1'),
  get('a text of another account', '/sms/status/{one}', { as: 'idle' }),
  get('a text of another key', '/sms/status/{one}', { as: 'narrow' }),
  get('a text for nobody', '/sms/status/{one}', { as: 'nobody' }),
  get('a send that waits', '/sms/batch/{batch}'),
  get('a send of nobody', '/sms/batch/nobodysbatch123'),
  get('a send of another key', '/sms/batch/{batch}', { as: 'narrow' }),
  get('a text that was sent', '/sms/status/{one}', { before: reportAs('sent') }),
  get('a send that was sent', '/sms/batch/{batch}'),
  send('another text', TEXT, { keep: 'delivered' }),
  get('a text that was delivered', '/sms/status/{delivered}', {
    before: reportAs('sent', 'delivered'),
  }),
  send('a third text', TEXT, { keep: 'failed' }),
  get('a text that failed', '/sms/status/{failed}', { before: reportAs('failed') }),
  get('a list', '/sms/messages?per_page=3'),
  get('the next page', '/sms/messages?per_page=3&page=2'),
  get('a list of a status', '/sms/messages?status=failed'),
  get('a list of a device', '/sms/messages?device_id={phone}&per_page=1'),
  get('a list of a send', '/sms/messages?batch_id={batch}'),
  get('a list of a recipient', `/sms/messages?recipient=${encodeURIComponent(STOPPED)}`),
  get('a list of a period', '/sms/messages?from=2020-01-01&to=2020-01-02'),
  get('a list of a wrong period', '/sms/messages?from=x'),
  get('a list without the scope', '/sms/messages', { as: 'narrow' }),
  get('the quota', '/plans/quota'),
  get('the quota of a used account', '/plans/quota', { as: 'poor' }),
  get('the quota without a limit', '/plans/quota', { as: 'idle' }),
  get('contacts', '/contacts'),
  get('contacts by a word', '/contacts?search=Ann'),
  get('contacts of a group', '/contacts?group_id={group}'),
  get('groups', '/contacts/groups'),
  get('devices', '/devices?per_page=1'),
]

test("Vendel's API answers each byte as it was recorded", { timeout: 60_000 }, async () => {
  const answers = await recordAnswers(await startPlace(), '/vendel/api', signIn, STEPS)
  await expect(answers).toMatchFileSnapshot('recorded-answers.txt')
})

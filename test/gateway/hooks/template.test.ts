import type { Store } from '../../../src/engine/collections/catalog.ts'
import { composeHookText } from '../../../src/gateway/hooks/compose-hook-text.ts'
import { cutToParts } from '../../../src/gateway/hooks/cut-text-to-parts.ts'
import type { HookSettings } from '../../../src/gateway/hooks/hook-settings.ts'
import { readHookBody } from '../../../src/gateway/hooks/read-hook-body.ts'
import { renderTemplate } from '../../../src/platform/templates/render.ts'
import { decodeForm } from '../../../src/platform/tools/charsets.ts'
import { countSegments } from '../../../src/portable/segments.ts'
import { blocksOf } from '../../docs/page.ts'

const render = (template: string, body: unknown) => renderTemplate(template, body, 3_200).text

const BODY = {
  title: 'Disk <full>',
  count: 3,
  none: null,
  empty: [],
  labels: { host: 'web-1', 'a.b': 'dotted' },
  alerts: [{ name: 'one' }, { name: 'two', ok: true }],
  sns: { list: '[{"a":{"b":1}},{"a":{"b":2}}]', text: '{"deep":"[7]"}', none: '{no' },
  in: {
    cents: 4_205,
    eur: 'eur',
    jpy: 'JPY',
    text: '-1999',
    cut: '12.5',
    stripe: ['huf', 'twd', 'isk', 'ugx', 'idr', 'cop', 'krw', 'mga', 'xof', 'kwd', 'tnd'],
  },
}
/** Not as ISO 4217 and the Unicode CLDR have it: https://docs.stripe.com/currencies#special-cases */
const STRIPE_AMOUNTS =
  '42.05 HUF, 42.05 TWD, 42.05 ISK, 42.05 UGX, 42.05 IDR, 42.05 COP, 4205 KRW, 4205 MGA, 4205 XOF, 4.205 KWD, 4.205 TND,'

test.each([
  ['values unescaped', '{{title}} {{{title}}} {{count}}', 'Disk <full> Disk <full> 3'],
  ['paths', '{{alerts.1.name}} {{labels.[a.b]}} {{alerts.length}}', 'two dotted 2'],
  ['lists', '{{#each alerts}}{{@index}} {{name}} {{../count}}, {{/each}}', '0 one 3, 1 two 3,'],
  [
    'ends',
    '{{#each alerts}}{{#if @first}}: {{/if}}{{name}}{{#unless @last}}, {{/unless}}{{/each}}',
    ': one, two',
  ],
  ['objects', '{{#each labels}}{{@key}}={{this}} {{/each}}', 'host=web-1 a.b=dotted'],
  [
    'a branch for a value that is set',
    '{{#if none}}a{{else if labels}}b{{else}}c{{/if}}{{#unless gone}}d{{/unless}}',
    'bd',
  ],
  ['an empty list', '{{#each empty}}a{{else}}none{{/each}}{{#if empty}}b{{/if}}', 'none'],
  ['each item by its own', '{{#each alerts}}{{#if ok}}{{name}}{{/if}}{{/each}}', 'two'],
  ['no comments', 'a{{! why }}b', 'ab'],
  ['money', '{{money in.cents in.eur}}, {{money in.cents in.jpy}}', '42.05 EUR, 4205 JPY'],
  ["Stripe's decimals", '{{#each in.stripe}}{{money ../in.cents this}}, {{/each}}', STRIPE_AMOUNTS],
  [
    'JSON in a text, as of AWS SNS',
    '{{#each sns.list}}{{a.b}}{{/each}} {{sns.text.deep.[0]}} {{sns.none}}',
    '12 7 {no',
  ],
  [
    'amounts in a text',
    '{{money in.text in.eur}}, {{money in.cut in.eur}}',
    '-19.99 EUR, 0.13 EUR',
  ],
])('a template renders %s: $1 becomes $2', (_, template, text) =>
  expect(render(template, BODY)).toBe(text),
)

test.each([
  ['a value', '{{alerts.0.labels.alertname}}', 'The body has no alerts.0.labels.alertname.'],
  [
    'a value of an item',
    '{{#each alerts}}{{severity}}{{/each}}',
    'The body has no alerts.0.severity.',
  ],
  ['a list', '{{#each alarms}}x{{/each}}', 'The body has no alarms.'],
  ['a text where an object is', '{{labels}}', 'The body has no labels.'],
  ['a text where null is', '{{none}}', 'The body has no none.'],
  ['a property of the prototype', '{{constructor.name}}', 'The body has no constructor.name.'],
  [
    "a property of a text's prototype",
    '{{title.length}}{{title.constructor}}',
    'The body has no title.length.',
  ],
  [
    'a prototype property by another path',
    '{{__proto__.toString}}',
    'The body has no __proto__.toString.',
  ],
  ['an amount', '{{money title in.eur}}', 'The body has no title.'],
  ['a currency', '{{money in.cents title}}', 'The body has no title.'],
  ['a scope above all', '{{../../x}}', 'The body has no x.'],
])('a template fails if the body lacks %s: $2', (_, template, message) =>
  expect(() => render(template, BODY)).toThrow(message),
)

test.each([
  ['helpers', '{{lookup a b}}'],
  ['blocks with other names', '{{#with a}}{{/with}}'],
  ['partials', '{{> a}}'],
  ['code within', '{{#if (lookup a b)}}{{/if}}'],
  ['unknown variables', '{{#unless @root.a}}{{/unless}}'],
  ['raw blocks', '{{{{raw}}}} {{{{/raw}}}}'],
  ['literals', '{{"a"}}'],
  ['an open block', '{{#if a}}'],
])('a template with %s is refused', (_, template) =>
  expect(() => render(template, {})).toThrow(/^The template /),
)

const LONG = 'x'.repeat(20)
const BLANKS = ' '.repeat(260_000)
const list = { a: Array(10_000).fill(LONG), b: 1, s: '\0'.repeat(100_000), e: '' }
const repeated = (part: string, before = '{{#each a}}', after = '{{/each}}') =>
  before + part.repeat(Math.floor((2_000 - before.length - after.length) / part.length)) + after
describe('the work of a template', () => {
  // each took 0.2 to 2.5 s, or would without its part of the bound
  test.each([
    ['lists in lists', '{{#each a}}{{#each ../a}}{{/each}}{{/each}}'],
    ['long paths', repeated('.b', '{{#each a}}{{#if b', '}}{{/if}}{{/each}}')],
    ['ways up', repeated('../', '{{#each a}}{{#if ', 'b}}{{/if}}{{/each}}')],
    ['many parts', repeated('{{#if @key}}{{/if}}')],
    ['texts without a character', '{{#each a}}{{../e}}{{/each}}'],
    ['JSON in texts', '{{#if j.a}}{{/if}}{{#if k.a}}{{/if}}'],
    ['money', '{{#each a}}{{money @index ../eur}}{{/each}}'],
  ])('the work of a template is bounded for %s', (_, template) =>
    expect(() =>
      render(template, { ...list, eur: 'eur', j: `{${BLANKS}}`, k: `[${BLANKS}]` }),
    ).toThrow('takes too many steps for this body.'),
  )

  test('the work of a template skips output that would not fit into the text', () => {
    const body = { ...list, a: Array(3).fill(1) }
    expect(renderTemplate('{{#each a}}{{../s}}{{/each}}', body, 3_200)).toMatchObject({
      text: '',
      rest: 2,
    })
  })

  test('the work of a template ends when a list has filled the text, and allows 120 nested blocks', () => {
    const body = { b: Array(4_000).fill(LONG) }
    expect(renderTemplate('{{#each b}}{{this}}{{/each}}', body, 3_200).rest).toBe(3_839)
    const deep = `${'{{#if a}}'.repeat(120)}{{b}}${'{{/if}}'.repeat(120)}`
    expect(render(deep, { a: 1, b: 'in' })).toBe('in')
  })
})

const ALERTS = (length: number, name = 'DiskFull on web-1') =>
  Array.from({ length }, (_, n) => `firing: ${name}, alert ${100 + n}\n`)
const fitted = (items: readonly string[], parts = 3) =>
  cutToParts(renderTemplate('{{#each this}}{{this}}{{/each}}', items, 3_200), parts)
test.each([
  ['a text that fits', ['Down'], 1, 'Down'],
  ['items that fit', ALERTS(10), 3, ALERTS(10).join('').trim()],
  ['items', ALERTS(60), 1, `${ALERTS(4).join('')}and 56 more`],
  ['more items than fit', ALERTS(900), 1, `${ALERTS(4).join('')}and 896 more`],
  ['an item', ['x'.repeat(2_000)], 1, `${'x'.repeat(157)}...`],
  ['an item after a blank one', [' ', 'x'.repeat(2_000)], 1, `${'x'.repeat(157)}...`],
  ['the first item', ['x'.repeat(500), 'y'], 1, `${'x'.repeat(146)}...\nand 1 more`],
  ['a text in UCS-2', ['😀'.repeat(100)], 1, `${'😀'.repeat(33)}...`],
  ['flags', ['🇩🇪'.repeat(60)], 1, `${'🇩🇪'.repeat(16)}...`],
  ['flags', ['🇩🇪'.repeat(60)], 3, `${'🇩🇪'.repeat(48)}...`],
  ['a family', [`x${'👩‍👩‍👧‍👦'.repeat(60)}`], 1, `x${'👩‍👩‍👧‍👦'.repeat(6)}...`],
  ['flags in its first item', ['🇩🇪'.repeat(60), 'y'], 1, `${'🇩🇪'.repeat(14)}...\nand 1 more`],
  ['one letter of many accents', [`e${'\u0301'.repeat(200)}`], 1, `e${'\u0301'.repeat(66)}...`],
])('a call with %s is shortened to $2 segment(s)', (_, items, parts, text) => {
  expect(fitted(items, parts)).toBe(text)
  expect(countSegments(text).segments).toBeLessThanOrEqual(parts)
})

const alert = (status: string, annotations: object) => ({
  status,
  labels: { alertname: 'DiskFull', instance: 'web-1' },
  annotations,
  startsAt: '16:00',
  fingerprint: '1a3',
})
const summary = { summary: 'Disk is 95 % full' }
const hookOf = (preset: HookSettings['preset'], resolved: string): HookSettings => ({
  preset,
  template: '',
  recipients: ['+4915112345678'],
  groups: [],
  recipients_from: '',
  pictures_from: '',
  line: '',
  once_key: '',
  resolved,
  resolved_when: '',
  send_when: '',
  kind: 'alerts',
  max_parts: 3,
})
const CPU = { alertname: 'CPU' }
const heartbeat = { monitorID: 7, status: 1, time: '16:00' }
const workflow_run = {
  id: 30,
  run_attempt: 1,
  name: 'CI',
  conclusion: 'failure',
  head_branch: 'main',
}
const repository = { full_name: 'octo/app' }
const check_run = { id: 4, name: 'lint', conclusion: 'success', output: { title: 'All fine' } }
const comment = { body: 'Me, too' }
const issue = { number: 7, title: 'It fails' }
const deployment_status = { id: 5, environment: 'production', state: 'failure', description: '' }
const rule = { description: 'SQL injection', severity: 'error' }
const event = { title: 'Oops', web_url: 'https://s.io/1', issue_id: '117' }
const error = { title: 'Oops', issue_id: '117' }
const charge = { id: 'ch', amount: 4_200, currency: 'eur', reason: 'fraudulent' }
const metric = { description_title: 'Many errors', metric_alert: { id: '4' } }

type Row = [
  preset: HookSettings['preset'],
  body: object,
  text: string,
  key?: string,
  isResolved?: boolean,
]
/** Bodies as these tools send them, shortened. */
const BODIES: Row[] = [
  [
    'alertmanager',
    { status: 'firing', alerts: [alert('firing', summary), alert('resolved', {})] },
    'firing: DiskFull web-1: Disk is 95 % full\nresolved: DiskFull web-1',
    '1a3 firing 16:00,1a3 resolved 16:00,',
  ],
  [
    'alertmanager',
    {
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'Up', job: 'node' },
          annotations: { description: 'Down' },
        },
        { status: 'firing', labels: { job: 'node' }, fingerprint: 'f' },
      ],
    },
    'firing: Up: Down\nfiring: node',
    'alertname=Up job=node  firing ,f firing ,',
  ],
  ['alertmanager', { alerts: [] }, ''],
  [
    'grafana',
    { title: '[Alerting] CPU', message: 'High', state: 'alerting' },
    '[Alerting] CPU: High',
  ],
  [
    'grafana',
    { status: 'resolved', orgId: 1, alerts: [{ ...alert('resolved', summary), labels: CPU }] },
    'resolved: CPU: Disk is 95 % full',
    '1a3 resolved 16:00,',
    true,
  ],
  [
    'uptime-kuma',
    { heartbeat, monitor: { name: 'Shop' }, msg: '[Shop] Up' },
    '[Shop] Up',
    '7 1 16:00',
    true,
  ],
  ['uptime-kuma', { heartbeat: null, monitor: null, msg: 'Shop Testing' }, 'Shop Testing'],
  [
    'home-assistant',
    { message: 'Water in the cellar', title: 'Home' },
    'Home: Water in the cellar',
  ],
  [
    'github',
    { workflow_run, repository, action: 'x' },
    'octo/app: CI failure (main)',
    '30 1 failure',
  ],
  [
    'github',
    { workflow_run: { ...workflow_run, conclusion: null }, repository, action: 'requested' },
    '',
  ],
  ['github', { check_run, repository }, 'octo/app: lint success: All fine', '4 success', true],
  [
    'github',
    { action: 'created', issue, comment, repository },
    'octo/app: comment created at #7 It fails: Me, too',
  ],
  [
    'github',
    { action: 'fixed', alert: { rule }, repository },
    'octo/app: alert fixed: SQL injection, error',
  ],
  [
    'github',
    { deployment: { id: 1 }, deployment_status, workflow_run, repository },
    'octo/app: deployment to production: failure',
    '5',
  ],
  ['github', { zen: 'Keep it simple.', hook_id: 1 }, 'ping: Keep it simple.'],
  [
    'github',
    { ref: 'main', head_commit: { message: 'Fix' }, repository },
    'octo/app: push to main: Fix',
  ],
  ['sentry', { action: 'a', data: { event } }, 'Sentry a: Oops https://s.io/1', 'a 117'],
  ['sentry', { action: 'resolved', data: metric }, 'Sentry: Many errors', 'resolved 4', true],
  ['sentry', { action: 'created', data: { error } }, 'Sentry error: Oops', 'error 117'],
  ['sentry', { action: 'created', data: { comment: 'Hm' } }, 'Sentry comment created: Hm'],
  [
    'sentry',
    { project_name: 'shop', message: '', culprit: 'a.b', id: '9' },
    'Sentry shop: a.b',
    '9',
  ],
  ['stripe', { id: 'evt', type: 'a.b', data: { object: { id: 'ch' } } }, 'Stripe: a.b (ch)', 'evt'],
  ['stripe', { type: 'x', data: { object: charge } }, 'Stripe: x, 42.00 EUR, fraudulent (ch)'],
  [
    'stripe',
    {
      type: 'charge.refunded',
      data: { object: { ...charge, currency: 'huf', amount_refunded: 500 } },
    },
    'Stripe: charge.refunded, 42.00 HUF, refunded: 5.00 HUF, fraudulent (ch)',
  ],
  ['stripe', { type: 'invoice.upcoming', data: { object: {} } }, 'Stripe: invoice.upcoming'],
  ['stripe', { type: 'v2.core', related_object: { id: 'acct' } }, 'Stripe: v2.core (acct)'],
  ['text', { text: 'The backup failed' }, 'The backup failed'],
]

test.each(BODIES)(
  '%s: the body %j gives its text and key',
  async (preset, body, text, key = '', isResolved = false) => {
    const composed = (resolved: string) =>
      composeHookText({} as Store, '', hookOf(preset, resolved), body)
    expect(await composed('send')).toMatchObject(
      text === '' ? { outcome: 'skipped' } : { text, key },
    )
    expect((await composed('skip')).outcome === 'resolved').toBe(isResolved)
  },
)

test('bodies that differ only at the end are two events', async () => {
  const hook = { ...hookOf('text', ''), once_key: '{{text}}' }
  const text = `${'x'.repeat(200_000)}1`
  expect(await composeHookText({} as Store, '', hook, { text })).toMatchObject({ key: text })
})

test.each([
  ['query=a=b', true],
  ['query=a', false],
  ['end=null', true],
  ['query', false],
  ['text=y, x', true],
  ['text=y;end=null', true],
])('the condition %s is met: %s', async (condition, isMet) => {
  const outcomeOf = async (hook: HookSettings) =>
    (await composeHookText({} as Store, '', hook, { text: 'x', query: 'a=b', end: null })).outcome
  const over = { ...hookOf('text', 'skip'), resolved_when: condition }
  expect(await outcomeOf(over)).toBe(isMet ? 'resolved' : 'sent')
  expect(await outcomeOf({ ...hookOf('text', ''), send_when: condition })).toBe(
    isMet ? 'sent' : 'skipped',
  )
})

test.each([
  ['JSON', '{"a":1}', false, { a: 1 }],
  ['a form', 'a=1&b=two+words', true, { a: '1', b: 'two words' }],
  ['a form of many fields', `x=1&${'a&'.repeat(100_000)}`, true, { x: '1', a: Array(99).fill('') }],
  ["GitHub's form", `payload=${encodeURIComponent('{"zen":"z"}')}`, true, { zen: 'z' }],
  ['a text', ' Hello ', false, { text: 'Hello' }],
  ['a text that curl calls a form', 'Disk full', true, { text: 'Disk full' }],
  ['a JSON text', '"Hello"', false, { text: '"Hello"' }],
] as const)('%s is read as $3', (_, raw, isForm, body) =>
  expect(readHookBody(raw, isForm ? decodeForm(Buffer.from(raw), '', 100) : undefined)).toEqual(
    body,
  ),
)

const LETTERS: Readonly<Record<string, readonly string[]>> = {
  'flags and families': ['🇩🇪', '👩‍👩‍👧‍👦', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'x'],
  'accents of their own': ['e\u0301', 'a\u0308\u0323', ' '],
  Hindi: ['क्षि', 'नि', ' '],
  Korean: ['각', '\u1100\u1161\u11a8'],
  'GSM letters of two units': ['{', '€', '^', 'a'],
  'words and line ends': ['word ', '\r\n', 'ç', '\u200d'],
}
test.each(Object.keys(LETTERS))(
  'a text of %s is cut to the most that fits, between letters',
  (title) => {
    const letters = LETTERS[title]!
    for (let length = 60; length < 200; length += 7) {
      const text = Array.from({ length }, (_, i) => letters[(i * i + 3 * i) % letters.length]).join(
        '',
      )
      const ends = [...new Intl.Segmenter('en').segment(text)].map(({ index }) => index)
      for (const parts of [1, 2]) {
        const fits = (one: string) => countSegments(one).segments <= parts
        const cuts = ends.map((end) => `${text.slice(0, end).trimEnd()}...`)
        const longest = fits(text) ? text : cuts.findLast(fits)
        expect(cutToParts({ text, ends: [], rest: 0 }, parts)).toBe(longest)
      }
    }
  },
)

test("the recipe's template for Uptime Kuma renders", () => {
  const { text } = blocksOf('docs/recipes/tools.md').find((block) =>
    block.text.startsWith('{{#if heartbeat}}'),
  )!
  const down = { heartbeat: { status: 0, msg: 'refused' }, monitor: { name: 'Shop' }, msg: '' }
  expect(render(text, down)).toBe('Shop is down: refused')
  expect(render(text, { ...down, heartbeat: { status: 1, msg: '200 - OK' } })).toBe(
    'Shop is up: 200 - OK',
  )
  expect(render(text, { heartbeat: null, monitor: null, msg: 'Testing' })).toBe('Testing')
})

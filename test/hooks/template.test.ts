import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/collections/catalog.ts'
import { compose, readHookBody } from '../../src/hooks/compose.ts'
import type { HookFields } from '../../src/hooks/hook.ts'
import { renderTemplate } from '../../src/hooks/template.ts'

const render = (template: string, body: unknown) => renderTemplate(template, body, 3_200)

const BODY = {
  title: 'Disk <full>',
  count: 3,
  none: null,
  empty: [],
  labels: { host: 'web-1', 'a.b': 'dotted' },
  alerts: [
    { name: 'one', ok: false },
    { name: 'two', ok: true },
  ],
}

describe('a template renders', () => {
  test.each([
    ['values as they are', '{{title}} {{{title}}} {{count}}', 'Disk <full> Disk <full> 3'],
    ['paths', '{{alerts.1.name}} {{labels.[a.b]}} {{alerts.length}}', 'two dotted 2'],
    ['lists', '{{#each alerts}}{{@index}} {{name}} {{../count}}, {{/each}}', '0 one 3, 1 two 3,'],
    ['objects', '{{#each labels}}{{@key}}={{this}} {{/each}}', 'host=web-1 a.b=dotted'],
    ['what is set', '{{#if none}}a{{else if labels}}b{{else}}c{{/if}}{{#unless gone}}d{{/unless}}', 'bd'],
    ['an empty list', '{{#each empty}}a{{else}}none{{/each}}{{#if empty}}b{{/if}}', 'none'],
    ['each item by its own', '{{#each alerts}}{{#if ok}}{{name}}{{/if}}{{/each}}', 'two'],
    ['no comments', 'a{{! why }}b', 'ab'],
  ])('%s', (_, template, text) => expect(render(template, BODY)).toBe(text))
})

describe('a body lacks', () => {
  test.each([
    ['a value', '{{alerts.0.labels.alertname}}', 'The body has no alerts.0.labels.alertname.'],
    ['a value of an item', '{{#each alerts}}{{severity}}{{/each}}', 'The body has no alerts.0.severity.'],
    ['a list', '{{#each alarms}}x{{/each}}', 'The body has no alarms.'],
    ['a text where an object is', '{{labels}}', 'The body has no labels.'],
    ['a text where null is', '{{none}}', 'The body has no none.'],
    ['what a prototype has', '{{constructor.name}}', 'The body has no constructor.name.'],
    ['the same of a text', '{{title.length}}{{title.constructor}}', 'The body has no title.length.'],
    ['the same by another way', '{{__proto__.toString}}', 'The body has no __proto__.toString.'],
    ['a scope above all', '{{../../x}}', 'The body has no x.'],
  ])('%s', (_, template, message) => expect(() => render(template, BODY)).toThrow(message))
})

describe('a template may not have', () => {
  test.each([
    ['helpers', '{{lookup a b}}'],
    ['blocks of other names', '{{#with a}}{{/with}}'],
    ['partials', '{{> a}}'],
    ['code within', '{{#if (lookup a b)}}{{/if}}'],
    ['decorators', '{{* a}}'],
    ['raw blocks', '{{{{raw}}}} {{{{/raw}}}}'],
    ['literals', '{{"a"}}'],
    ['an open block', '{{#if a}}'],
    ['another end', '{{#if a}}{{/each}}'],
    ['an open tag', '{{a'],
  ])('%s', (_, template) => expect(() => render(template, {})).toThrow(/^The template /))
})

describe('work is bounded', () => {
  const list = { a: Array.from({ length: 10_000 }, () => 'x'.repeat(20)) }
  test.each([
    ['lists in lists', '{{#each a}}{{#each ../a}}{{/each}}{{/each}}', /too many steps/],
    [
      'a list that is too long',
      '{{#each a}}{{#each ../a}}{{#each ../../a}}{{this}}{{/each}}{{/each}}{{/each}}',
      /steps/,
    ],
  ])('%s', (_, template, message) => expect(() => render(template, list)).toThrow(message))

  test('a long text ends soon after its bound', () => {
    expect(render('{{#each a}}{{this}}{{/each}}', list).length).toBeLessThan(3_300)
  })

  test('a deep template and a deep body are read', () => {
    const deep = `${'{{#if a}}'.repeat(120)}{{b}}${'{{/if}}'.repeat(120)}`
    expect(render(deep, { a: 1, b: 'in' })).toBe('in')
    expect(readHookBody('['.repeat(100_000) + ']'.repeat(100_000))).toBeDefined()
    expect(readHookBody('['.repeat(200_000))).toHaveProperty('text')
  })
})

const alert = (status: string, more = {}) => ({
  status,
  labels: { alertname: 'DiskFull', instance: 'web-1:9100' },
  annotations: { summary: 'Disk is 95 % full' },
  startsAt: '2026-11-23T16:00:00Z',
  fingerprint: '1a30ba71cca2921f',
  ...more,
})
const hookOf = (preset: HookFields['preset'], resolved: string): HookFields => ({
  ...{ preset, template: '', recipients: ['+4915112345678'], groups: [], recipients_from: '', line: '' },
  ...{ once_key: '', resolved, resolved_when: '' },
})

/** Bodies as these tools send them, shortened. */
const BODIES: readonly (readonly [
  HookFields['preset'],
  unknown,
  string,
  key: string,
  isResolved: boolean,
])[] = [
  [
    'alertmanager',
    {
      version: '4',
      status: 'firing',
      receiver: 'sms',
      alerts: [alert('firing'), alert('resolved', { annotations: {} })],
    },
    'firing: DiskFull web-1:9100: Disk is 95 % full\nresolved: DiskFull web-1:9100',
    '1a30ba71cca2921f firing 2026-11-23T16:00:00Z,1a30ba71cca2921f resolved 2026-11-23T16:00:00Z,',
    false,
  ],
  [
    'grafana',
    {
      status: 'resolved',
      orgId: 1,
      title: '[RESOLVED]',
      alerts: [alert('resolved', { labels: { alertname: 'CPU' } })],
    },
    'resolved: CPU: Disk is 95 % full',
    '1a30ba71cca2921f resolved 2026-11-23T16:00:00Z,',
    true,
  ],
  [
    'uptime-kuma',
    {
      heartbeat: { monitorID: 7, status: 1, time: '2026-11-23 16:00:00' },
      monitor: { name: 'Shop' },
      msg: '[Shop] Up',
    },
    '[Shop] Up',
    '7 1 2026-11-23 16:00:00',
    true,
  ],
  ['uptime-kuma', { heartbeat: null, monitor: null, msg: 'Shop Testing' }, 'Shop Testing', '', false],
  [
    'home-assistant',
    { message: 'Water in the cellar', title: 'Home' },
    'Home: Water in the cellar',
    '',
    false,
  ],
  [
    'github',
    {
      action: 'completed',
      workflow_run: { id: 30, run_attempt: 1, name: 'CI', conclusion: 'failure', head_branch: 'main' },
      repository: { full_name: 'octo/app' },
    },
    'octo/app: CI failure (main)',
    '30 1 completed',
    false,
  ],
  ['github', { zen: 'Keep it simple.', hook_id: 1 }, 'Keep it simple.', '', false],
  [
    'github',
    { ref: 'refs/heads/main', head_commit: { message: 'Fix it' }, repository: { full_name: 'octo/app' } },
    'octo/app: push to refs/heads/main: Fix it',
    '',
    false,
  ],
  [
    'sentry',
    { action: 'triggered', data: { event: { title: 'Oops', web_url: 'https://s.io/1', issue_id: '117' } } },
    'Sentry triggered: Oops https://s.io/1',
    'triggered 117',
    false,
  ],
  [
    'sentry',
    {
      action: 'resolved',
      data: { description_title: 'Resolved: Too many errors', metric_alert: { id: '4' } },
    },
    'Sentry resolved: Resolved: Too many errors',
    'resolved 4',
    true,
  ],
  [
    'stripe',
    { id: 'evt_1', type: 'charge.failed', data: { object: { id: 'ch_1', description: null } } },
    'Stripe: charge.failed (ch_1)',
    'evt_1',
    false,
  ],
  ['text', { text: 'The backup failed' }, 'The backup failed', '', false],
]

test.each(BODIES)('%s: %j', async (preset, body, text, key, isResolved) => {
  const composed = (resolved: string) => compose({} as Store, '', hookOf(preset, resolved), body, 1)
  expect(await composed('send')).toMatchObject({ text, key })
  expect((await composed('skip')) === undefined).toBe(isResolved)
})

test.each([
  ['JSON', '{"a":1}', false, { a: 1 }],
  ['a form', 'a=1&b=two+words', true, { a: '1', b: 'two words' }],
  ["GitHub's form", `payload=${encodeURIComponent('{"zen":"z"}')}`, true, { zen: 'z' }],
  ['a text', ' Hello ', false, { text: 'Hello' }],
  ['a JSON text', '"Hello"', false, { text: '"Hello"' }],
] as const)('%s is read', (_, raw, isForm, body) => expect(readHookBody(raw, isForm)).toEqual(body))

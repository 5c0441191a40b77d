import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/collections/catalog.ts'
import { compose, readHookBody } from '../../src/hooks/compose.ts'
import type { HookFields } from '../../src/hooks/hook.ts'
import { renderTemplate } from '../../src/hooks/template.ts'
import { blocksOf } from '../docs/page.ts'

const render = (template: string, body: unknown) => renderTemplate(template, body, 3_200)

const BODY = {
  ...{ title: 'Disk <full>', count: 3, none: null, empty: [], labels: { host: 'web-1', 'a.b': 'dotted' } },
  alerts: [{ name: 'one' }, { name: 'two', ok: true }],
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

test.each([
  ['helpers', '{{lookup a b}}'],
  ['blocks of other names', '{{#with a}}{{/with}}'],
  ['partials', '{{> a}}'],
  ['code within', '{{#if (lookup a b)}}{{/if}}'],
  ['raw blocks', '{{{{raw}}}} {{{{/raw}}}}'],
  ['literals', '{{"a"}}'],
  ['an open block', '{{#if a}}'],
])('a template may not have %s', (_, template) =>
  expect(() => render(template, {})).toThrow(/^The template /),
)

test('work is bounded', () => {
  const list = { a: Array.from({ length: 10_000 }, () => 'x'.repeat(20)) }
  const nested = '{{#each a}}{{#each ../a}}{{/each}}{{/each}}'
  expect(() => render(nested, list)).toThrow('The template takes too many steps for this body.')
  expect(render('{{#each a}}{{this}}{{/each}}', list).length).toBeLessThan(3_300)
  const deep = `${'{{#if a}}'.repeat(120)}{{b}}${'{{/if}}'.repeat(120)}`
  expect(render(deep, { a: 1, b: 'in' })).toBe('in')
})

const alert = (status: string, annotations: object) => ({
  ...{ status, labels: { alertname: 'DiskFull', instance: 'web-1' }, annotations },
  ...{ startsAt: '16:00', fingerprint: '1a3' },
})
const summary = { summary: 'Disk is 95 % full' }
const hookOf = (preset: HookFields['preset'], resolved: string): HookFields => ({
  ...{ preset, template: '', recipients: ['+4915112345678'], groups: [], recipients_from: '', line: '' },
  ...{ once_key: '', resolved, resolved_when: '' },
})
const heartbeat = { monitorID: 7, status: 1, time: '16:00' }
const workflow_run = { id: 30, run_attempt: 1, name: 'CI', conclusion: 'failure', head_branch: 'main' }
const repository = { full_name: 'octo/app' }
const event = { title: 'Oops', web_url: 'https://s.io/1', issue_id: '117' }
const metric = { description_title: 'Many errors', metric_alert: { id: '4' } }

type Row = [preset: HookFields['preset'], body: object, text: string, key?: string, isResolved?: boolean]
/** Bodies as these tools send them, shortened. */
const BODIES: Row[] = [
  [
    'alertmanager',
    { status: 'firing', alerts: [alert('firing', summary), alert('resolved', {})] },
    'firing: DiskFull web-1: Disk is 95 % full\nresolved: DiskFull web-1',
    '1a3 firing 16:00,1a3 resolved 16:00,',
  ],
  [
    'grafana',
    {
      status: 'resolved',
      orgId: 1,
      alerts: [{ ...alert('resolved', summary), labels: { alertname: 'CPU' } }],
    },
    'resolved: CPU: Disk is 95 % full',
    '1a3 resolved 16:00,',
    true,
  ],
  ['uptime-kuma', { heartbeat, monitor: { name: 'Shop' }, msg: '[Shop] Up' }, '[Shop] Up', '7 1 16:00', true],
  ['uptime-kuma', { heartbeat: null, monitor: null, msg: 'Shop Testing' }, 'Shop Testing'],
  ['home-assistant', { message: 'Water in the cellar', title: 'Home' }, 'Home: Water in the cellar'],
  ['github', { workflow_run, repository, action: 'x' }, 'octo/app: CI failure (main)', '30 1 x'],
  ['github', { zen: 'Keep it simple.', hook_id: 1 }, 'Keep it simple.'],
  ['github', { ref: 'main', head_commit: { message: 'Fix' }, repository }, 'octo/app: push to main: Fix'],
  ['sentry', { action: 'a', data: { event } }, 'Sentry a: Oops https://s.io/1', 'a 117'],
  ['sentry', { action: 'resolved', data: metric }, 'Sentry resolved: Many errors', 'resolved 4', true],
  ['stripe', { id: 'evt', type: 'a.b', data: { object: { id: 'ch' } } }, 'Stripe: a.b (ch)', 'evt'],
  ['text', { text: 'The backup failed' }, 'The backup failed'],
]

test.each(BODIES)('%s: %j', async (preset, body, text, key = '', isResolved = false) => {
  const composed = (resolved: string) => compose({} as Store, '', hookOf(preset, resolved), body, 1)
  expect(await composed('send')).toMatchObject({ text, key })
  expect((await composed('skip')) === undefined).toBe(isResolved)
})

test.each([
  ['query=a=b', true],
  ['query=a', false],
  ['end=null', true],
  ['query', false],
])('a body is over when %s: %s', async (resolved_when, isOver) => {
  const hook = { ...hookOf('text', 'skip'), resolved_when }
  const composed = await compose({} as Store, '', hook, { text: 'x', query: 'a=b', end: null }, 1)
  expect(composed === undefined).toBe(isOver)
})

test.each([
  ['JSON', '{"a":1}', false, { a: 1 }],
  ['a form', 'a=1&b=two+words', true, { a: '1', b: 'two words' }],
  ["GitHub's form", `payload=${encodeURIComponent('{"zen":"z"}')}`, true, { zen: 'z' }],
  ['a text', ' Hello ', false, { text: 'Hello' }],
  ['a JSON text', '"Hello"', false, { text: '"Hello"' }],
] as const)('%s is read', (_, raw, isForm, body) => expect(readHookBody(raw, isForm)).toEqual(body))

test("a recipe's template for Uptime Kuma", () => {
  const { text } = blocksOf('docs/recipes/tools.md').find((block) =>
    block.text.startsWith('{{#if heartbeat}}'),
  )!
  const down = { heartbeat: { status: 0, msg: 'refused' }, monitor: { name: 'Shop' }, msg: '' }
  expect(render(text, down)).toBe('Shop is down: refused')
  expect(render(text, { ...down, heartbeat: { status: 1, msg: '200 - OK' } })).toBe('Shop is up: 200 - OK')
  expect(render(text, { heartbeat: null, monitor: null, msg: 'Testing' })).toBe('Testing')
})

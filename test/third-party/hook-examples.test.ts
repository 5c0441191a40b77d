import { readFileSync } from 'node:fs'
import type { Store } from '../../src/engine/collections/catalog.ts'
import { composeHookText } from '../../src/gateway/hooks/compose-hook-text.ts'
import { HOOK_SETTINGS } from '../../src/gateway/hooks/hook-settings.ts'
import { areInstalled, toolFile } from './door-clients.ts'

interface Event {
  readonly name: string
  readonly examples: readonly object[]
}
const TABLE = './github-texts.md'
const HEAD = `# What GitHub's webhooks become

The text that the preset \`github\` of a [hook](../../docs/hooks.md) makes of the first example of each event in \`@octokit/webhooks-examples\` that sends one.
Made by \`npx vitest run test/third-party/hook-examples.test.ts --update\`.

| event | text |
|---|---|
`
const hook = HOOK_SETTINGS.parse({ preset: 'github', recipients: ['+4915112345678'] })

test.skipIf(!areInstalled())("hooks accept all of GitHub's webhook examples", async () => {
  const events = JSON.parse(
    readFileSync(toolFile('@octokit/webhooks-examples/api.github.com/index.json'), 'utf8'),
  ) as Event[]
  const rows: string[] = []
  const skipped: string[] = []
  for (const { name, examples } of events) {
    const made = await Promise.all(
      examples.map((body) => composeHookText({} as Store, '', hook, body)),
    )
    const [text] = made.flatMap((one) => (one.outcome === 'sent' ? one.text : []))
    rows.push(`| \`${name}\` | ${text?.replaceAll('\n', ' ').replaceAll('|', '\\|')} |\n`)
    skipped.push(...made.filter(({ outcome }) => outcome !== 'sent').map(() => name))
  }
  expect(events.flatMap(({ examples }) => examples)).toHaveLength(329)
  expect([...new Set(skipped)]).toEqual([
    'check_run',
    'check_suite',
    'workflow_job',
    'workflow_run',
  ])
  await expect(HEAD + rows.join('')).toMatchFileSnapshot(TABLE)
})

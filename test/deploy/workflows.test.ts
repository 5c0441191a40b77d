import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const HOME = fileURLToPath(new URL('../..', import.meta.url))
const workflow = (name: string) =>
  parse(readFileSync(join(HOME, '.github/workflows', `${name}.yml`), 'utf8'))

test('the workflow of the night runs each part that npm run test:nightly has', () => {
  const usage = execFileSync(process.execPath, [join(HOME, '.ci/nightly.ts'), '--help'], {
    encoding: 'utf8',
  })
  const parts = [...usage.matchAll(/^ {2}(\w+) +\w/gm)].map(([, name]) => name)
  expect(parts).toContain('proxies')
  expect(workflow('nightly').jobs.part.strategy.matrix.part.toSorted()).toEqual(parts.toSorted())
})

test('the workflow of a release gives the image the tags of the version, of its series, and latest', () => {
  const steps: { run?: string; with?: { tags?: string } }[] = workflow('release').jobs.publish.steps
  const tags = steps
    .find((step) => step.with?.tags)!
    .with!.tags!.trim()
    .split('\n')
  const names = steps.find(({ run }) => run?.includes('SERIES'))!.run!
  const written = execFileSync('sh', ['-c', `${names.replace('>> "$GITHUB_ENV"', '')}`], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, GITHUB_REF_NAME: 'v12.3.40' },
  })
  const values = {
    ...Object.fromEntries(
      written
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    ),
  }
  const filled = tags.map((tag) =>
    tag.replace(/\$\{\{ env\.(\w+) \}\}/g, (_, name) => values[name] ?? name),
  )
  expect(filled).toEqual(['IMAGE:12.3.40', 'IMAGE:12.3', 'IMAGE:latest'])
})

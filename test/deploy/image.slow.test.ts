import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import dockerignore from '@balena/dockerignore'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/database/temporary-folder.ts'

// There may be no Docker where tests run: the steps of the Dockerfile are taken in folders that have what
// .dockerignore leaves, on this machine's Node. Only the installation by npm is left out.

const HOME = fileURLToPath(new URL('../..', import.meta.url))
const text = (name: string) => readFileSync(join(HOME, name), 'utf8')

/** The stages of the Dockerfile, each a list of instructions. */
const stages = text('Dockerfile')
  .replace(/\\\n/g, ' ')
  .split(/^FROM .*$/m)
  .slice(1)
  .map((stage) => stage.trim().split('\n'))

const isSent = dockerignore.default().add(text('.dockerignore')).createFilter()

/** Does the COPYs of a stage in a new folder. `built`: the folder of the stage before. */
function copy(stage: readonly string[], built = ''): string {
  const folder = temporaryFolder()
  for (const line of stage) {
    const [, from, words] = /^COPY (--from=\S+ )?(.+)$/.exec(line) ?? []
    if (words === undefined) continue
    const [target = '', ...sources] = words.split(' ').reverse()
    for (const source of sources) {
      const origin = from ? join(built, source.replace('/app/', '')) : join(HOME, source)
      const place =
        sources.length > 1 || target.endsWith('/') ? join(folder, target, source) : join(folder, target)
      cpSync(origin, place, { recursive: true, filter: (file) => from !== undefined || isInContext(file) })
    }
  }
  symlinkSync(join(HOME, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

function isInContext(file: string): boolean {
  const path = relative(HOME, file)
  if (path === '') return true
  if (/^(node_modules|\.git|coverage|data)$/.test(path)) return false
  return statSync(file).isDirectory() || isSent(path)
}

test('the image builds from its context, and serves', async () => {
  const built = copy(stages[0]!)
  execFileSync(process.execPath, ['console/build.js'], { cwd: built, stdio: 'pipe' })
  expect(globSync('console/dist/{index.html,agent.tgz}', { cwd: built })).toHaveLength(2)
  const image = copy(stages[1]!, built)
  const child = spawn(process.execPath, ['bin/pocketsms.js', 'serve'], {
    cwd: image,
    env: { PATH: process.env.PATH, DATA_DIR: join(image, 'data'), PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'close')
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  await expect.poll(() => output, { timeout: 60_000 }).toMatch(/listens on \S+/)
  const [, url] = /listens on (\S+)/.exec(output)!
  expect((await fetch(`${url}/api/ready`)).status).toBe(200)
  expect((await fetch(`${url}/agent.tgz`)).status).toBe(200)
})

import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { GENERATORS } from './generators.ts'
import { findLack, folderOf, installOnce } from './tools.ts'

const run = promisify(execFile)

const server = await startServerWithDevices()
const text = await (await fetch(`${server.url}/api/openapi.json`)).text()
const withoutWebhooks = { ...JSON.parse(text), webhooks: undefined }
const user = await server.makeUser()
const phone = await server.pair(user)
const { key } = await must(user, 'POST', '/api/collections/api_keys/records', {
  user: user.id,
  name: 'shop',
})

interface Operations {
  readonly [path: string]: { readonly [method: string]: { readonly operationId?: string } }
}
const { paths, webhooks } = JSON.parse(text) as Record<'paths' | 'webhooks', Operations>

/** The name as in any language: `readSentText`, `read_sent_text` and `ReadSentText` are one. */
const fold = (name: string) => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase()

/** Operations whose name is in no file of the client. */
function findLeftOut(operations: Operations, folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const code = files.filter((file) => /\.(ts|go|py|java|php|cs)$/.test(file))
  const names = new Set<string>()
  for (const file of code) {
    // openapi-python-client has a module for each
    names.add(fold(parse(file).name))
    for (const [word] of readFileSync(join(folder, file), 'utf8').matchAll(/[A-Za-z_]\w*/g))
      names.add(fold(word))
  }
  const ids = Object.values(operations).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId = [] }) => operationId),
  )
  expect(ids.length).toBeGreaterThan(5)
  // hey-api has types of a webhook's calls, and no function
  return ids.filter((id) => !names.has(fold(id)) && !names.has(`${fold(id)}webhookrequest`))
}

/** Delivers what waits, again and again, until the work is done. */
async function playPhone<T>(work: Promise<T>): Promise<T> {
  let isOver = false
  const done = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 10 })
    const reports = items.map((item: { id: string; attempt: number }) => ({
      id: item.id,
      attempt: item.attempt,
      status: 'delivered',
    }))
    if (reports.length > 0) await must(phone, 'POST', '/api/devices/report', { items: reports })
    await Promise.race([done.catch(() => {}), new Promise((resolve) => setTimeout(resolve, 200))])
  }
  return done
}

describe.each(GENERATORS)('$language by $name', ({ language, name, tools, ...steps }) => {
  test('the client compiles, sends a text, and reads that it is delivered', async ({ skip }) => {
    const lack = findLack(tools)
    if (lack) {
      console.warn(`SKIPPED: the client of ${name} in ${language}: ${lack}`)
      skip(lack)
    }
    for (const tool of tools) installOnce(tool)
    // outside of node_modules, where the compiler would take the client for a library
    const folder = temporaryFolder()
    const cwd = join(folder, 'texts')
    mkdirSync(cwd)
    symlinkSync(join(folderOf('npm'), 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'openapi.json'), text)
    writeFileSync(join(folder, 'without-webhooks.json'), JSON.stringify(withoutWebhooks))
    for (const [file, content] of Object.entries(steps.files)) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true })
      writeFileSync(join(cwd, file), content)
    }
    const env = { ...process.env, URL: server.url, KEY: key }
    const step = (lines: string) => run('bash', ['-euc', lines], { cwd, env, maxBuffer: 1 << 26 })
    await step(steps.generate)
    expect(findLeftOut(paths, cwd)).toEqual([])
    expect(findLeftOut(webhooks, cwd).length > 0).toBe(steps.leavesOutWebhooks === true)
    await step(steps.compile)
    const { stdout } = await playPhone(step(steps.send))
    expect(JSON.parse(stdout)).toMatchObject({ to: '+4911111', body: 'Hi', status: 'delivered' })
  })
})

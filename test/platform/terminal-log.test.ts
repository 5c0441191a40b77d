import { expect, test } from 'vitest'
import { createLogger } from '../../src/platform/log.ts'
import { makeTerminalLog } from '../../src/platform/terminal-log.ts'

function logTo() {
  const lines: string[] = []
  const log = createLogger(
    { logLevel: 'info' },
    makeTerminalLog((text) => void lines.push(text)),
  )
  return { log, lines }
}

const TIME = String.raw`^\d\d:\d\d:\d\d `
const request = {
  request: 'a-1',
  method: 'GET',
  path: '/api/x',
  ms: 3.5,
  ip: '127.0.0.1',
  done: true,
}

test.each([200, 204, 302, 499])('a request with status %i is not printed', (status) => {
  const { log, lines } = logTo()
  log.info({ ...request, status })
  expect(lines).toEqual([])
})

test.each([400, 404, 500, 503])(
  'a request that failed with status %i is printed in one line',
  (status) => {
    const { log, lines } = logTo()
    log.info({ ...request, status })
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(String.raw`${TIME}${status} GET /api/x \(3.5 ms, request a-1\)\n$`),
      ),
    ])
  },
)

test('an error is printed with its stack and its cause', () => {
  const { log, lines } = logTo()
  log.error({ err: new Error('outer', { cause: new Error('inner') }), job: 7 }, 'a job failed')
  const [text] = lines
  expect(text).toMatch(new RegExp(`${TIME}error a job failed job=7\n  Error: outer\n`))
  expect(text).toContain('  caused by\n  Error: inner\n')
})

test('control characters of a client are printed as escapes', () => {
  const { log, lines } = logTo()
  log.info({ ...request, path: '/\u001b[2J\n\u202e', status: 404 })
  log.warn('\u001b]0;title\u0007')
  expect(lines.join('')).not.toMatch(/[\u001b\u0007\u202e]/)
  expect(lines[0]).toContain(String.raw`/\u001b[2J\u000a\u202e`)
})

test('further fields of a line are printed by name', () => {
  const { log, lines } = logTo()
  log.warn({ lines: 3 }, 'could not log requests')
  expect(lines[0]).toMatch(new RegExp(`${TIME}warning could not log requests lines=3\n$`))
})

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const CLI = fileURLToPath(new URL('../../../src/main/cli.ts', import.meta.url))
/** A machine for which bcrypt has no compiled code, as Android. */
const WITHOUT_BCRYPT = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module'
registerHooks({
  resolve(name, context, next) {
    if (name === 'bcrypt') throw new Error('No native build was found')
    return next(name, context)
  },
})`)}`

test('the agent runs on a platform without bcrypt', () => {
  const args = ['--import', WITHOUT_BCRYPT, CLI, 'agent', 'run', '--help']
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toContain('termux')
})

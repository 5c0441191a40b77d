import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { computeTotp, readTotpStep } from '../../src/engine/auth/totp.ts'
import { PASSWORD, startServerWithMail } from '../support/server/server-with-mail.ts'
import { setUpApp } from '../support/server/set-up-app.ts'
import { hasPythonSdk, SDK_FOLDER } from './program-tools.ts'

const run = promisify(execFile)

test.skipIf(!hasPythonSdk())("Python's client of PocketBase signs in with a code", async () => {
  const server = await startServerWithMail()
  const { url } = server.server
  const email = 'ann@example.com'
  const id = await server.addUser(email, { verified: true })
  const headers = { authorization: await server.signIn('users', email, PASSWORD) }
  const { secret } = await setUpApp(url, headers, PASSWORD)
  // the code that confirmed the app counts no more: the one after it counts already
  const code = computeTotp(secret, readTotpStep() + 1)
  const script = join(import.meta.dirname, 'sign-in-with-app.py')
  const env = { ...process.env, PYTHONPATH: SDK_FOLDER }
  const { stdout } = await run('python3', [script, url, email, PASSWORD, code], { env })
  expect(stdout.trim()).toBe(`${id} True`)
})

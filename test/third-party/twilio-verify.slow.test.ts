import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listenLocally } from '../support/services/listen.ts'
import { codeOn, pairPhone, startTwilioFixture } from '../support/twilio/twilio-fixture.ts'
import {
  GO_FOLDER,
  hasGo,
  hasJava,
  hasNode,
  hasPython,
  JAVA_JARS,
  NODE_PACKAGE,
  PYTHON,
} from './twilio-libraries.ts'

const run = promisify(execFile)
const fixture = await startTwilioFixture()
const ann = await fixture.makeUser()
const phone = await pairPhone(fixture, ann, '+4915550000001')

/** Tells a program the code on the phone, and lets codes expire. */
const helper = await listenLocally(
  createServer(async (req, res) => {
    if (req.url === '/expire')
      await fixture.gateway.query(`update verifications set expires_at = created where status = 'pending'`)
    res.end(req.url === '/code' ? await codeOn(phone) : '')
  }),
)

const at = (file: string) => join(import.meta.dirname, 'twilio-verify', file)

test.each([
  ['Node', hasNode, process.execPath, [at('verify.mjs')], '.'],
  ['Python', hasPython, PYTHON, [at('verify.py')], '.'],
  ['Go', hasGo, 'go', ['run', at('verify.go')], GO_FOLDER],
  ['Java', hasJava, 'java', ['-cp', JAVA_JARS, at('Verify.java')], '.'],
] as const)("Twilio's library for %s: a verification's life", async (name, isThere, program, args, cwd) => {
  if (!isThere()) return
  const given = [fixture.gateway.url, helper.url, ann.sid, ann.token, NODE_PACKAGE]
  const { stdout } = await run(program, [...args, ...given], { cwd })
  expect(JSON.parse(stdout)).toEqual([
    ...['pending', 'pending', 'approved true', '404 20404'],
    ...['pending', '404 20404'],
    ...['pending', 'canceled', '404 20404'],
    ...[...Array(5).fill('pending'), '429 60202'],
    ...['403 60410', '400 60200', '404 20404'],
    ...[`${name} 2`, 'true', 'true'],
  ])
})

import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listenLocally } from '../support/services/listen.ts'
import { codeOn, pairPhone, startTwilioFixture } from '../support/twilio/twilio-fixture.ts'
import { hasJava, hasNode, JAVA_JARS, NODE_PACKAGE } from './twilio-libraries.ts'

const run = promisify(execFile)
const fixture = await startTwilioFixture()
const ann = await fixture.makeUser()
const phone = await pairPhone(fixture, ann, '+4915550000001')

/** Tells a program the code on the phone, and lets codes expire. */
const helper = await listenLocally(
  createServer(async (req, res) => {
    if (req.url === '/expire')
      await fixture.gateway.query(
        `update verifications set expires_at = created where status = 'pending'`,
      )
    res.end(req.url === '/code' ? await codeOn(phone) : '')
  }),
)

const at = (file: string) => join(import.meta.dirname, 'twilio-verify', file)

test.each([
  ['Node', hasNode, process.execPath, [at('verify.mjs')]],
  ['Java', hasJava, 'java', ['-cp', JAVA_JARS, at('Verify.java')]],
] as const)(
  "Twilio's library for %s starts, checks and cancels verifications",
  async (name, isThere, program, args) => {
    if (!isThere()) return
    const given = [fixture.gateway.url, helper.url, ann.sid, ann.token, NODE_PACKAGE]
    const { stdout } = await run(program, [...args, ...given])
    expect(JSON.parse(stdout)).toEqual([
      ...['pending', 'pending', 'approved true', '404 20404'],
      ...['pending', '404 20404'],
      ...['pending', 'canceled', '404 20404'],
      ...[...Array(5).fill('pending'), '429 60202'],
      ...['403 60410', '400 60200', '404 20404'],
      ...[`${name} 2`, 'true', 'true'],
    ])
  },
)

import { freePort } from '../support/database/postgres.ts'
import { serve } from '../support/server/program.ts'
import { ANN, startServerWithUsers } from '../support/server/server-with-users.ts'

// The parts of long texts are sent to two processes on one database. One of them is killed while it answers:
// its client sends what was not answered again, to the other.

const server = await startServerWithUsers()
const start = async () => {
  const port = String(await freePort())
  const databaseUrl = server.services.config.databaseUrl!
  return serve({ HOST: '127.0.0.1', PORT: port, DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' })
}

const TO = '4915112345678'
const REFS = 20
const words = (ref: number, seq: number) => `[${ref}.${seq}]`

/** Sends a part; false without an answer. */
async function sendPart(url: string, ref: number, seq: number): Promise<boolean> {
  const header = [5, 0, 3, ref, 3, seq].map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
  const who = `username=${encodeURIComponent(ANN.email)}&password=${ANN.key}`
  const query = `${who}&to=${TO}&text=${words(ref, seq)}&udh=${header.join('')}`
  const answer = await fetch(`${url}/cgi-bin/sendsms?${query}`).catch(() => undefined)
  if (answer) expect([ref, seq, answer.status]).toEqual([ref, seq, 202])
  return answer !== undefined
}

test('texts are sent whole and once when one of two processes is killed between their parts', {
  timeout: 120_000,
}, async () => {
  const other = await start()
  onTestFinished(other.stop)
  const parts = Array.from({ length: REFS }, (_, ref) => [2, 1, 3].map((seq) => ({ ref, seq })))
  const lost: { ref: number; seq: number }[] = []
  let answered = 0
  await Promise.all(
    parts.map(async (ofText, at) => {
      for (const { ref, seq } of ofText) {
        const isAnswered = await sendPart((at + seq) % 2 ? server.url : other.url, ref, seq)
        if (!isAnswered) lost.push({ ref, seq })
        if (++answered === REFS) process.kill(other.pid, 'SIGKILL')
      }
    }),
  )
  expect(lost.length).toBeGreaterThan(0)
  for (const { ref, seq } of lost) expect(await sendPart(server.url, ref, seq)).toBe(true)
  const rows = await server.rows(`select body from sms_messages order by body collate "C"`)
  const whole = parts.map((ofText) => [1, 2, 3].map((seq) => words(ofText[0]!.ref, seq)).join(''))
  expect(rows.flat()).toEqual(whole.toSorted())
})

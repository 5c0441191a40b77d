import { expect, test } from 'vitest'
import { PushCalls } from '../../../src/sms/devices/push-calls.ts'

/** Calls that hang until they are let go. */
function slowService() {
  const waiting: (() => void)[] = []
  const running: string[] = []
  const call = (user: string) => () => {
    running.push(user)
    return new Promise<void>((resolve) => waiting.push(resolve))
  }
  return { call, running, waiting }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a user has four calls at a time, all users have 32', async () => {
  const calls = new PushCalls()
  const { call, running, waiting } = slowService()
  const of = (user: string) => Array.from({ length: 300 }, () => calls.run(user, call(user)))
  const ann = of('ann')
  await settled()
  expect(running).toHaveLength(4)
  const others = Array.from({ length: 10 }, (_, i) => of(`user ${i}`)).flat()
  await settled()
  expect(running).toHaveLength(32)
  expect(running.filter((user) => user === 'ann')).toHaveLength(4)
  while (waiting.length > 0) {
    for (const end of waiting.splice(0)) end()
    await settled()
  }
  await Promise.all([...ann, ...others])
  expect(running).toHaveLength(3_300)
})

test('what is too much for a user is not called', async () => {
  const calls = new PushCalls()
  const { call, running, waiting } = slowService()
  const made = Array.from({ length: 1_001 }, () => calls.run('ann', call('ann')))
  await expect(made.pop()).rejects.toThrow('too many wake-ups')
  await calls.run('ben', async () => undefined)
  while (waiting.length > 0) {
    for (const end of waiting.splice(0)) end()
    await settled()
  }
  await Promise.all(made)
  expect(running).toHaveLength(1_000)
})

import { createECDH, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { freePort } from '../../support/database/postgres.ts'
import { type Attack, type AttackRun, asUser, must } from './attack.ts'
import { flood } from './flood.ts'

// Devices that do not behave, and guessers of pairing codes.

const withDevice = asUser(async (user, target) => {
  const device = await target.addDevice(user)
  return { device: device.token }
})

const DEVICES = 300
const withPushedDevices = asUser(async (user, target) => {
  const port = await freePort()
  for (let i = 0; i < DEVICES; i++) {
    const device = await target.addDevice(user)
    const keys = {
      p256dh: createECDH('prime256v1').generateKeys('base64url'),
      auth: randomBytes(16).toString('base64url'),
    }
    await must(device, 'PUT', '/api/devices/push', { endpoint: `http://127.0.0.1:${port}/${i}`, keys })
  }
  return { port: String(port) }
})

const asDevice = (run: AttackRun, connections: number, path: string, bodyOf: (turn: number) => unknown) =>
  flood(run, connections, (turn) => ({
    path: `/api/devices/${path}`,
    token: run.prepared.device!,
    body: JSON.stringify(bodyOf(turn)),
  }))

const reports = (count: number, turn: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `nothing${turn}x${i}`, attempt: i % 3, status: 'sent' }))

export const devices: readonly Attack[] = [
  {
    name: 'pairing codes that are guessed',
    who: 'guest',
    attack: (run) =>
      flood(run, 32, (turn) => ({
        path: '/api/devices/pair',
        body: JSON.stringify({ code: String(turn % 1e6).padStart(6, '0'), platform: 'other' }),
      })),
  },
  {
    name: 'nonsense for the phone app routes',
    who: 'guest',
    attack: (run) =>
      flood(run, 16, (turn) => ({
        path: `/api/mobile/v1/${['device', 'message', `incoming/${turn}`][turn % 3]}`,
        headers: { authorization: `Bearer ${'a'.repeat(turn % 5_000)}` },
        body: JSON.stringify({ id: 'a'.repeat(10_000), payload: [turn] }),
      })),
  },
  {
    name: 'claims that wait',
    who: 'user',
    prepare: withDevice,
    attack: (run) => asDevice(run, 1_000, 'claim', () => ({ limit: 100, wait: 30 })),
  },
  {
    name: 'claims in a flood',
    who: 'user',
    prepare: withDevice,
    attack: (run) => asDevice(run, 16, 'claim', () => ({ limit: 100 })),
  },
  {
    name: 'reports about nothing',
    who: 'user',
    prepare: withDevice,
    attack: (run) =>
      asDevice(run, 16, 'report', (turn) => ({ items: reports(turn % 2 ? 1_000 : 100, turn) })),
  },
  {
    name: 'heartbeats with large SIM lists',
    who: 'user',
    prepare: withDevice,
    attack: (run) =>
      asDevice(run, 16, 'heartbeat', (turn) => ({
        battery: turn % 100,
        sims: Array.from({ length: 8 }, () => ({ name: 'x'.repeat(20_000) })),
      })),
  },
  {
    name: 'long texts that come in',
    who: 'user',
    prepare: withDevice,
    attack: (run) =>
      asDevice(run, 4, 'incoming', (turn) => ({
        items: Array.from({ length: 20 }, (_, i) => ({
          from: `+4915${1e7 + turn * 20 + i}`,
          body: 'é'.repeat(15_000),
          received_at: '2026-01-01T00:00:00Z',
        })),
      })),
  },
  {
    name: '300 devices with slow push services',
    who: 'user',
    prepare: withPushedDevices,
    attack(run) {
      createServer(() => run.count('called')).listen(Number(run.prepared.port), '127.0.0.1')
      const body = JSON.stringify({
        recipients: Array.from({ length: 300 }, (_, i) => `+4915${1e7 + i}`),
        body: 'Hi',
      })
      return flood(run, 2, () => ({ path: '/api/sms/send', token: run.prepared.token!, body }))
    },
  },
]

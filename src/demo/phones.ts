import { join } from 'node:path'
import { call, ServerRefusal } from '../agent/server.ts'
import { simulatorDriver } from '../agent/simulator.ts'
import { type AgentState, pair, readState, saveState } from '../agent/state.ts'
import { UserError } from '../errors.ts'
import { type Api, request } from './api.ts'

export type Phone = Awaited<ReturnType<typeof pairPhones>>[number]

const PHONES = [
  { name: 'Phone 1', number: '+447700900901', lagMs: 300 },
  { name: 'Phone 2', number: '+447700900902', lagMs: 500 },
] as const

/** Two phones, paired by code unless `folder` has their state. */
export async function pairPhones(user: Api, folder: string) {
  const phones = []
  for (const { name, number, lagMs } of PHONES) {
    const stateFile = join(folder, `${name.toLowerCase().replace(' ', '-')}.json`)
    const state = (await stillPaired(user.url, stateFile)) ?? (await pairPhone(user, name, number, stateFile))
    phones.push({ name, number, stateFile, simulator: simulatorDriver({ lagMs }), device: state.device })
  }
  return phones
}

async function pairPhone(user: Api, name: string, phone: string, stateFile: string): Promise<AgentState> {
  const { code } = await request<{ code: string }>(user, 'POST', '/api/devices/pairing', { name })
  return pair(user.url, code, { name: '', phone, platform: 'simulator' }, () => stateFile)
}

/** The phone of an earlier run; undefined when the server does not know it. */
async function stillPaired(url: string, stateFile: string): Promise<AgentState | undefined> {
  try {
    const state = { ...readState(stateFile), url }
    await call(state, 'POST', '/api/devices/claim', { limit: 1 })
    saveState(stateFile, state)
    return state
  } catch (error) {
    if (error instanceof UserError || error instanceof ServerRefusal) return undefined
    throw error
  }
}

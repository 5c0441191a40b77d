import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repeat } from '../tools/repeat.ts'
import type { Driver, DriverEvents, OutgoingText, SendResult, Sim } from './driver.ts'
import { instantOf, needProgram, type ProgramResult, readJson, runProgram, STDERR } from './program.ts'

const HINT = 'Install ModemManager and see whether `mmcli -L` lists the modem.'
const MMCLI = 'mmcli'
const LOOK_MS = 3_000
const CALL_MS = 30_000
/** Maximum time a modem takes to send a text of several parts. */
const SEND_MS = 100_000
/** Delivery reports of older texts are ignored. */
const MAX_AWAITED = 1_000

/** The used part of `mmcli -s PATH -J`. */
interface Sms {
  readonly content: { readonly number: string; readonly text: string }
  readonly properties: Readonly<Record<string, string>>
}

/** The used part of `mmcli -m NAME -J`. Unknown values are `--`. */
interface ModemInfo {
  readonly generic?: { readonly sim?: string; readonly 'own-numbers'?: readonly string[] }
  readonly '3gpp'?: { readonly 'operator-name'?: string }
}
/** The used part of `mmcli -i PATH -J`. */
interface SimInfo {
  readonly properties?: { readonly 'operator-name'?: string }
}

/** A modem with one SIM, by mmcli. `modem`: its number or path; `any` for the only one. */
export class Modem {
  readonly #modem: string
  readonly #slot: number
  /** Texts by path in ModemManager until their delivery report comes. */
  readonly #awaited = new Map<string, Pick<OutgoingText, 'id' | 'attempt'>>()
  /** Received texts that were passed on but not deleted: some modems do not delete. */
  readonly #reported = new Set<string>()
  #stop = async () => {}

  /** @param slot slot of this modem's SIM in texts, from 1. */
  constructor(modem: string, slot: number) {
    this.#modem = modem
    this.#slot = slot
  }

  /** Throws a UserError if there is no modem. */
  async start(events: DriverEvents): Promise<void> {
    await needProgram(MMCLI, ['-m', this.#modem, '--messaging-status'], HINT)
    this.#stop = repeat(
      async () => {
        await this.#receive(events)
        await this.#lookForReports(events)
      },
      LOOK_MS,
      STDERR,
    )
  }

  /** The SIM's number, if it is in E.164, and its country. */
  async sim(): Promise<Sim> {
    const { output } = await runProgram(MMCLI, ['-m', this.#modem, '-J'], CALL_MS)
    const modem = readJson<{ modem?: ModemInfo }>(output)?.modem
    const path = known(modem?.generic?.sim)
    const sim = path ? (await runProgram(MMCLI, ['-i', path, '-J'], CALL_MS)).output : ''
    const home = known(readJson<{ sim?: SimInfo }>(sim)?.sim?.properties?.['operator-name'])
    const carrier = home ?? known(modem?.['3gpp']?.['operator-name'])
    const number = modem?.generic?.['own-numbers']?.find((own) => own.startsWith('+'))
    return { slot: this.#slot, ...(number && { number }), ...(carrier && { carrier }) }
  }

  async send({ id, attempt, to, body }: OutgoingText): Promise<SendResult> {
    const created = await this.#create(to, body)
    const [path] = /\/org\/freedesktop\/ModemManager1\/SMS\/\d+/.exec(created.output) ?? []
    if (created.code !== 0 || !path)
      return { outcome: 'failed', error: created.errors || 'The modem takes no text', notSent: true }
    const sent = await runProgram(MMCLI, ['-s', path, '--send'], SEND_MS)
    // A failed text may have been sent in part.
    if (sent.code !== 0) {
      await this.#forget(path)
      return { outcome: 'failed', error: sent.errors, notSent: false }
    }
    this.#awaited.set(path, { id, attempt })
    if (this.#awaited.size > MAX_AWAITED) await this.#forget([...this.#awaited.keys()][0]!)
    return { outcome: 'sent' }
  }

  stop = () => this.#stop()

  /** The text is passed in a file, because a quotation mark would end an option. */
  async #create(to: string, body: string): Promise<ProgramResult> {
    let folder: string | undefined
    try {
      folder = mkdtempSync(join(tmpdir(), 'pocketsms-agent-'))
      const file = join(folder, 'text')
      writeFileSync(file, body, { mode: 0o600 })
      const what = `number=${to},delivery-report-request=yes`
      const args = [
        '-m',
        this.#modem,
        `--messaging-create-sms=${what}`,
        `--messaging-create-sms-with-text=${file}`,
      ]
      return await runProgram(MMCLI, args, CALL_MS)
    } catch (error) {
      return { code: null, output: '', errors: (error as Error).message } // the disk is full
    } finally {
      if (folder) rmSync(folder, { recursive: true, force: true })
    }
  }

  async #receive(events: DriverEvents): Promise<void> {
    for (const path of await this.#paths()) {
      if (this.#awaited.has(path)) continue
      const sms = await this.#read(path)
      if (sms?.properties.state !== 'received') continue
      const { number, text } = sms.content
      const { timestamp } = sms.properties
      const key = JSON.stringify([path, number, text, timestamp])
      if (!this.#reported.has(key))
        // such as `2026-11-20T08:15:00+01`: whole-hour offsets have no minutes
        await events.received(
          { from: number, body: text, sim: this.#slot },
          instantOf((timestamp ?? '').replace(/[+-]\d\d$/, '$&:00')),
        )
      this.#reported.add(key)
      if (await this.#forget(path)) this.#reported.delete(key)
    }
  }

  async #lookForReports(events: DriverEvents): Promise<void> {
    for (const [path, text] of this.#awaited) {
      const sms = await this.#read(path)
      const state = sms?.properties['delivery-state'] ?? ''
      if (sms && (state === '' || state === '--' || state === 'unknown' || /^(temporary|still)/.test(state)))
        continue
      if (/^completed/.test(state)) await events.delivered(text, new Date())
      else if (state) await events.delivered(text, new Date(), `The network could not deliver it: ${state}`)
      await this.#forget(path)
    }
  }

  async #paths(): Promise<string[]> {
    const { output } = await runProgram(MMCLI, ['-m', this.#modem, '--messaging-list-sms', '-J'], CALL_MS)
    return readJson<{ 'modem.messaging.sms'?: string[] }>(output)?.['modem.messaging.sms'] ?? []
  }

  async #read(path: string): Promise<Sms | undefined> {
    const { output } = await runProgram(MMCLI, ['-s', path, '-J'], CALL_MS)
    return readJson<{ sms: Sms }>(output)?.sms
  }

  /** Deletes a text from the modem. Returns whether that succeeded. */
  async #forget(path: string): Promise<boolean> {
    this.#awaited.delete(path)
    const { code } = await runProgram(MMCLI, ['-m', this.#modem, `--messaging-delete-sms=${path}`], CALL_MS)
    return code === 0
  }
}

const known = (value = '--') => (value === '--' || value === '' ? undefined : value)

/** Modems driven by ModemManager, one SIM each. `names`: numbers or paths, or `any` for the only one. */
export class ModemManager implements Driver {
  readonly parallel: number
  sims: readonly Sim[] = []
  readonly #modems: readonly Modem[]

  constructor(...names: readonly string[]) {
    this.#modems = names.map((name, i) => new Modem(name, i + 1))
    this.parallel = names.length
  }

  /** Throws a UserError if a modem is missing. */
  async start(events: DriverEvents): Promise<void> {
    try {
      for (const modem of this.#modems) await modem.start(events)
    } catch (error) {
      await this.stop()
      throw error
    }
    this.sims = await Promise.all(this.#modems.map((modem) => modem.sim()))
  }

  /** A single modem sends for any requested SIM. */
  async send(text: OutgoingText): Promise<SendResult> {
    const slot = this.#modems.length === 1 ? 1 : Math.max(text.sim, 1)
    const modem = this.#modems[slot - 1]
    return modem?.send(text) ?? { outcome: 'failed', error: `There is no modem ${text.sim}`, notSent: true }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#modems.map((modem) => modem.stop()))
  }
}

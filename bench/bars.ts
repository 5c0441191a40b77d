import type { Row } from './measure.ts'

/** What was measured beside the rates. */
export interface Extras {
  /** Milliseconds, sorted: from accepted to the device's wake-up. */
  readonly wakes?: readonly number[]
  readonly memoryMb?: number
}

/** One thing that must hold, and whether it did. */
export interface Bar {
  readonly work: string
  readonly bar: string
  readonly measured: string
  readonly reached: boolean
  /**
   * What the bare server reaches, where that is less than asked: with hand-written SQL, no records, no rules.
   */
  readonly bare?: string
}

/** The least part of another server's rate, by kind of request. */
const LEAST_OF: Readonly<
  Record<string, Readonly<Partial<Record<Row['scenario']['kind'], number>>>>
> = {
  bare: { list: 0.8, view: 0.6, send: 0.35 },
  'PocketBase, simple': { list: 3, view: 2, write: 1 },
  'PocketBase, ours': { list: 15, view: 15 },
}
/** The bar of a scenario beside the bare server, where it is higher than that of its kind. */
const LEAST_OF_BARE: Readonly<Record<string, number>> = { 'list 30 by status of 102,000': 3 }
const SEND_RATE = { connections: 64, rate: 7_500 }
const SEND_P50_MS = 0.8
/** By the number of recipients. */
const BULK_MS: Readonly<Record<number, number>> = { 1000: 150, 10000: 2_000 }
const WAKE_P99_MS = 10
const MEMORY_MB = 250
/** Of the embedded database's rate, beside an installed Postgres. */
const EMBEDDED_SHARE = 0.9
const FIRST_START_MS = 3_000
const IDLE_MB = 240
const LOADED_MB = 450

const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`
const sampleOf = ({ samples }: Row, name = 'pocketsms') => samples.get(name)

/** Cut, not rounded: 0.796 shall not look like 0.80. */
function cut(value: number, step: number): string {
  return Number.isFinite(value) ? String(Math.floor(value * step) / step) : '∞'
}

function least(work: string, bar: number, measured: number, unit = ''): Bar {
  const step = bar < 20 && unit === '' ? 100 : 1
  return {
    work,
    bar: `at least ${bar}${unit}`,
    measured: `${cut(measured, step)}${unit}`,
    reached: measured >= bar,
  }
}

const most = (
  work: string,
  bar: number,
  measured: number,
  text: (value: number) => string,
): Bar => ({
  work,
  bar: `at most ${text(bar)}`,
  measured: text(measured),
  reached: measured <= bar,
})

function ratios(row: Row): Bar[] {
  const ours = sampleOf(row)
  const { kind, name, recipients = 1 } = row.scenario
  if (!ours || recipients > 1) return []
  return Object.entries(LEAST_OF).flatMap(([other, bars]) => {
    const theirs = sampleOf(row, other)
    const bar = (other === 'bare' ? LEAST_OF_BARE[name] : undefined) ?? bars[kind]
    if (!theirs || bar === undefined) return []
    const asked = least(`${name}, times ${other}`, bar, ours.rate / theirs.rate)
    const bare = (sampleOf(row, 'bare')?.rate ?? Infinity) / theirs.rate
    return [bare < bar ? { ...asked, bare: cut(bare, 100) } : asked]
  })
}

function absolutes(row: Row): Bar[] {
  const ours = sampleOf(row)
  const { kind, name, connections, recipients = 1 } = row.scenario
  if (!ours || kind !== 'send') return []
  if (recipients > 1) return [most(name, BULK_MS[recipients]!, ours.p50, ms)]
  if (connections === SEND_RATE.connections) return [least(name, SEND_RATE.rate, ours.rate, '/s')]
  return connections === 1 ? [most(`${name}, p50`, SEND_P50_MS, ours.p50, ms)] : []
}

/** What was asked of a run on Postgres. A bar whose part was not measured is left out. */
export function barsOf(rows: readonly Row[], { wakes, memoryMb }: Extras): Bar[] {
  const bars = [...rows.flatMap(ratios), ...rows.flatMap(absolutes)]
  const slow = wakes?.[Math.floor(wakes.length * 0.99)]
  if (slow !== undefined) bars.push(most('accepted to wake-up, p99', WAKE_P99_MS, slow, ms))
  if (memoryMb !== undefined)
    bars.push(
      most('resident memory afterwards', MEMORY_MB, memoryMb, (mb) => `${mb.toFixed(0)} MB`),
    )
  return bars
}

/** A first start on a new data folder, and the memory of server and Postgres together. */
export interface EmbeddedFigures {
  readonly startMs: number
  readonly idleMb: number
  readonly loadedMb: number
}

/** What was asked of the embedded database. */
export function embeddedBarsOf(
  rows: readonly Row[],
  { startMs, idleMb, loadedMb }: EmbeddedFigures,
): Bar[] {
  const rates = rows.flatMap((row) => {
    const [ours, theirs] = [sampleOf(row), sampleOf(row, 'installed')]
    const name = `${row.scenario.name}, times installed`
    return ours && theirs ? [least(name, EMBEDDED_SHARE, ours.rate / theirs.rate)] : []
  })
  const mb = (value: number) => `${value.toFixed(0)} MB`
  return [
    ...rates,
    most('first start until it is ready', FIRST_START_MS, startMs, ms),
    most('memory at rest', IDLE_MB, idleMb, mb),
    most('memory after the load', LOADED_MB, loadedMb, mb),
  ]
}

import { vi } from 'vitest'
import { createLogger } from '../../../src/log.ts'
import { testConfig } from '../server/start.ts'
import { stopLater } from '../stops.ts'
import { openDb } from './open.ts'

/**
 * now() of the test's own, before that of Postgres on the search path: statements, functions and triggers of
 * the database take it. Defaults of columns do not.
 */
const CLOCK = `
create schema clock;
create table clock.hand (at timestamptz);
insert into clock.hand values (null);
create function clock.now() returns timestamptz language sql stable
  as 'select coalesce((select at from clock.hand), pg_catalog.now())';
do $$ begin
  execute format('alter database %I set search_path = public, clock, pg_catalog', current_database());
end $$`

/** A prepared database, open as often as there are nodes, with a clock that tests set. */
export async function openClockedDb() {
  const config = await testConfig({}, 'prepared')
  const open = () => openDb(config, createLogger(config))
  let first = await open()
  await first.script(CLOCK)
  await first.close() // its connections have the old path
  first = await open()
  const second = await open()
  stopLater(() => void vi.useRealTimers())
  return {
    nodes: [first, second] as const,
    /** Sets the clock of this process and of the database, where it then stands still; null: it is let go. */
    async at(instant: string | null): Promise<void> {
      vi.useRealTimers()
      if (instant) vi.useFakeTimers({ toFake: ['Date'], now: new Date(instant) })
      await first.query('update clock.hand set at = $1', [instant])
    },
  }
}

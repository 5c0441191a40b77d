import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { isOnline } from '../connection/connection.ts'
import { BACK, type Fault, readFault } from '../fault.ts'

export interface Task<A extends unknown[]> {
  readonly busy: boolean
  /** The error of the last run; undefined while it runs and after a success. */
  readonly fault: Fault | undefined
  /** Runs the action and returns whether it succeeded. Never throws: the form shows `fault`. */
  run(...given: A): Promise<boolean>
  forget(): void
}

/** Clears the errors of tasks whose errors one place shows, before one of them runs. */
export function forgetFaults(all: readonly Pick<Task<never>, 'forget'>[]): void {
  for (const each of all) each.forget()
}

/** Clears the errors of all tasks in `all`, then runs `task`: one place shows the errors of all of them. */
export function runOneAtATime(
  task: Task<[]>,
  all: readonly Pick<Task<never>, 'forget'>[],
): Promise<boolean> {
  forgetFaults(all)
  return task.run()
}

/** An action with its error and whether it runs: `const save = useTask(() => pb.send(…))`. */
export function useTask<A extends unknown[]>(work: (...given: A) => Promise<unknown>): Task<A> {
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<Fault>()
  const run = async (...given: A) => {
    setBusy(true)
    setFault(undefined)
    try {
      await work(...given)
      return true
    } catch (error) {
      setFault(readFault(error))
      return false
    } finally {
      setBusy(false)
    }
  }
  useEffect(() => {
    if (!fault?.isAway) return
    let wasAway = false
    return isOnline.subscribe((isWell) => {
      if (isWell && wasAway) setFault(BACK)
      wasAway ||= !isWell
    })
  }, [fault])
  return { busy, fault, run, forget: useCallback(() => setFault(undefined), []) }
}

/** A long action. `work` gets a signal, which aborts on `stop` and when the user leaves the page. */
export function useLongTask(
  work: (stop: AbortSignal) => Promise<unknown>,
): Task<[]> & { stop(): void } {
  const present = useRef(new AbortController())
  useEffect(() => () => present.current.abort(), [])
  const task = useTask(() => {
    present.current = new AbortController()
    return work(present.current.signal)
  })
  return { ...task, stop: () => present.current.abort() }
}

const LANES = 6

/** Processes items in order, six at a time, until `isOver` returns true. Throws the first error. */
export async function workInParallel<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  isOver: () => boolean = () => false,
): Promise<void> {
  const waiting = items.values()
  const lane = async () => {
    for (const item of waiting) {
      if (isOver()) return
      await work(item)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

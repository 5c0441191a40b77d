import { isSqlError } from '../../platform/db/database-errors.ts'
import { FilterError } from '../filter/parse-filter.ts'

/** Whether an error comes from an invalid rule, or from SQL that fails on the data. */
export const isRuleFault = (error: unknown) => error instanceof FilterError || isSqlError(error)

/** Resolves as `work` does, but to `otherwise` after an invalid rule or an SQL error. */
export const catchRuleFault = <T, U>(work: Promise<T>, otherwise: U): Promise<T | U> =>
  work.catch((error: unknown) => {
    if (isRuleFault(error)) return otherwise
    throw error
  })

import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { findSettings } from './find-settings.ts'

export const DECIMAL = z.string().regex(/^\d+(\.\d+)?$/)

/** The currency of an account's prices; '' if unset. */
export const loadCurrency = async ({ db }: Pick<Store, 'db'>, user: string): Promise<string> =>
  (await findSettings(db, user, 'currency'))?.currency ?? ''

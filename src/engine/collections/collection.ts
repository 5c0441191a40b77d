import { type Holder, makeAccountHolder } from '../../platform/limits/limit-holder.ts'
import type { Field } from '../fields/field.ts'
import type { AuthOptions } from './auth-shape.ts'

export type CollectionType = 'base' | 'auth' | 'view'

export type RuleName = 'listRule' | 'viewRule' | 'createRule' | 'updateRule' | 'deleteRule'

/** An API rule. null: superusers only; '': everyone; any other text is a filter. */
export type Rule = string | null

interface CollectionBase extends Record<RuleName, Rule> {
  id: string
  name: string
  system: boolean
  fields: Field[]
  indexes: string[]
  created: string
  updated: string
  /** Set for an internal table that is treated as a collection. Stored collections do not have it. */
  isInternal?: true
}

export interface BaseCollection extends CollectionBase {
  type: 'base'
}

export interface ViewCollection extends CollectionBase {
  type: 'view'
  viewQuery: string
}

export interface AuthCollection extends CollectionBase, AuthOptions {
  type: 'auth'
}

/** A collection as stored, in PocketBase's export format, with secrets. Immutable. */
export type Collection = BaseCollection | ViewCollection | AuthCollection

export const SUPERUSERS = '_superusers'

export const USERS_ID = '_pb_users_auth_'

/** The user as holder of limits. Work of its devices, API keys and team members counts as the user's. */
export const makeUserHolder = (user: string): Holder => makeAccountHolder(USERS_ID, user)

export const DEVICES_ID = 'devices'

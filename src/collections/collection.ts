import type { Field } from '../fields/field.ts'

/** PocketBase's kinds of collections, and the rules that each may have. */
export type CollectionType = 'base' | 'auth' | 'view'
export type RuleName = 'listRule' | 'viewRule' | 'createRule' | 'updateRule' | 'deleteRule'
/** null: superusers only; '': everyone; else a filter. */
export type Rule = string | null

/** A mail with `{PLACEHOLDERS}`. */
export interface MailTemplate {
  subject: string
  body: string
}
/** How tokens of one purpose are made. */
export interface TokenOptions {
  /** Seconds. */
  duration: number
  /** Signing key's second half. Never leaves the server. */
  secret: string
}
/** A provider as it is set up for a collection. */
export interface OAuth2Provider {
  pkce: boolean | null
  name: string
  clientId: string
  clientSecret: string
  authURL: string
  tokenURL: string
  userInfoURL: string
  displayName: string
  extra: Record<string, unknown> | null
}

/** Options of auth collections. PocketBase: core/collection_model_auth_options.go */
export interface AuthOptions {
  authRule: Rule
  manageRule: Rule
  authAlert: { enabled: boolean; emailTemplate: MailTemplate }
  oauth2: {
    providers: OAuth2Provider[]
    mappedFields: { id: string; name: string; username: string; avatarURL: string }
    enabled: boolean
  }
  passwordAuth: { enabled: boolean; identityFields: string[] }
  mfa: { enabled: boolean; duration: number; rule: string }
  otp: { enabled: boolean; duration: number; length: number; emailTemplate: MailTemplate }
  authToken: TokenOptions
  passwordResetToken: TokenOptions
  emailChangeToken: TokenOptions
  verificationToken: TokenOptions
  fileToken: TokenOptions
  verificationTemplate: MailTemplate
  resetPasswordTemplate: MailTemplate
  confirmEmailChangeTemplate: MailTemplate
}

interface CollectionBase {
  id: string
  name: string
  system: boolean
  listRule: Rule
  viewRule: Rule
  createRule: Rule
  updateRule: Rule
  deleteRule: Rule
  fields: Field[]
  indexes: string[]
  created: string
  updated: string
}
/** Plain records. */
export interface BaseCollection extends CollectionBase {
  type: 'base'
}
/** What a query finds. */
export interface ViewCollection extends CollectionBase {
  type: 'view'
  viewQuery: string
}
/** Records that can sign in. */
export interface AuthCollection extends CollectionBase, AuthOptions {
  type: 'auth'
}

/** A collection as it is stored, in PocketBase's export format, with its secrets. Never changed in place. */
export type Collection = BaseCollection | ViewCollection | AuthCollection

/** The name of the collection whose records may do everything. */
export const SUPERUSERS = '_superusers'

/** The id of `users`, as PocketBase has it. */
export const USERS_ID = '_pb_users_auth_'

/** The collection of devices, by its id. */
export const DEVICES_ID = 'devices'

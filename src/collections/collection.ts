import type { Field } from '../fields/field.ts'

/** PocketBase's kinds of collections. */
export type CollectionType = 'base' | 'auth' | 'view'
export type RuleName = 'listRule' | 'viewRule' | 'createRule' | 'updateRule' | 'deleteRule'
/** null: superusers only; '': everyone; else a filter. */
export type Rule = string | null

/** A mail with `{PLACEHOLDERS}`. */
export interface MailTemplate {
  subject: string
  body: string
}
export interface TokenOptions {
  /** Seconds. */
  duration: number
  /** Second half of the signing key. Never leaves the server. */
  secret: string
}
/** A provider as a collection configures it. */
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
/** Records from a query. */
export interface ViewCollection extends CollectionBase {
  type: 'view'
  viewQuery: string
}
/** Records that can sign in. */
export interface AuthCollection extends CollectionBase, AuthOptions {
  type: 'auth'
}

/** A collection as stored, in PocketBase's export format, with secrets. Immutable. */
export type Collection = BaseCollection | ViewCollection | AuthCollection

/** Name of the collection of superusers, who may do everything. */
export const SUPERUSERS = '_superusers'

/** The id of `users`, as PocketBase has it. */
export const USERS_ID = '_pb_users_auth_'

export const DEVICES_ID = 'devices'

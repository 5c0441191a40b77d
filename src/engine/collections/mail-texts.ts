const renderMailButton = (path: string, label: string) => `<p>
  <a class="btn" href="{APP_URL}/_/#/auth/${path}/{TOKEN}" target="_blank" rel="noopener">${label}</a>
</p>`

const makeMailTemplate = (subject: string, ...paragraphs: string[]) => ({
  subject,
  body: ['<p>Hello,</p>', ...paragraphs, '<p>\n  Thanks,<br/>\n  {APP_NAME} team\n</p>'].join('\n'),
})

/** Mail templates of a new auth collection. PocketBase: core/collection_model_auth_templates.go */
export const MAIL_TEMPLATES = {
  verification: makeMailTemplate(
    'Verify your {APP_NAME} email',
    '<p>Thank you for joining us at {APP_NAME}.</p>',
    '<p>Click on the button below to verify your email address.</p>',
    renderMailButton('confirm-verification', 'Verify'),
    "<p><i>If you didn't recently register, please ignore this email.</i></p>",
  ),
  resetPassword: makeMailTemplate(
    'Reset your {APP_NAME} password',
    '<p>Click on the button below to reset your password.</p>',
    renderMailButton('confirm-password-reset', 'Reset password'),
    "<p><i>If you didn't ask to reset your password, please ignore this email.</i></p>",
  ),
  confirmEmailChange: makeMailTemplate(
    'Confirm your {APP_NAME} new email address',
    '<p>Click on the button below to confirm your new email address.</p>',
    renderMailButton('confirm-email-change', 'Confirm new email'),
    "<p><i>If you didn't ask to change your email address, please ignore this email.</i></p>",
  ),
  otp: makeMailTemplate(
    'OTP for {APP_NAME}',
    '<p>Your one-time password is: <strong>{OTP}</strong></p>',
    "<p><i>If you didn't ask for the one-time password, you can ignore this email.</i></p>",
  ),
  authAlert: makeMailTemplate(
    'Login from a new location',
    '<p>We noticed a login to your {APP_NAME} account from a new location:</p>',
    '<p><em>{ALERT_INFO}</em></p>',
    "<p><strong>If this wasn't you, you should immediately change your {APP_NAME} account password to revoke access from all other locations.</strong></p>",
    '<p>If this was you, you may disregard this email.</p>',
  ),
} as const

export type MailTemplate = (typeof MAIL_TEMPLATES)[keyof typeof MAIL_TEMPLATES]

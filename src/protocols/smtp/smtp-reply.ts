/** An SMTP reply that refuses a command. RFC 5321, 4.2.3 */
export const makeSmtpReply = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode })

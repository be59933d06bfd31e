/** Headers of the pages for people, which read the public API under a policy that lets them do nothing else. */

/**
 * Everything is forbidden that the pages do not do; text from token metadata can never become markup, even by a mistake
 * of ours.
 */
const POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
  "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join('; ')

export const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin'
}

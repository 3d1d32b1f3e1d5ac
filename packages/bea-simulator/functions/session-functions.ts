import type { Login } from '../login/login.ts'
import type { Sessions } from '../login/sessions.ts'
import type { Handlers } from './requests.ts'

type Names =
  | 'bea_login_step1'
  | 'bea_login_step2'
  | 'bea_login_step3'
  | 'bex_login_step1'
  | 'bex_login_step2'
  | 'bex_login_step3'
  | 'bea_check_session'
  | 'bea_logout'

/** Login in both versions, and the two functions of the session itself, which return no new token. */
export function sessionFunctions(login: Login, sessions: Sessions): Handlers<Names> {
  return {
    bea_login_step1: (request) => login.step1(1, request),
    bea_login_step2: (request) => login.step2(1, request),
    bea_login_step3: (request) => login.step3(1, request),
    bex_login_step1: (request) => login.step1(2, request),
    bex_login_step2: (request) => login.step2(2, request),
    bex_login_step3: (request) => login.step3(2, request),
    bea_check_session: ({ token }) => {
      sessions.use(token)
      return { info: 'ok' }
    },
    bea_logout: ({ token }) => {
      sessions.end(sessions.use(token))
      return { info: 'ok' }
    },
  }
}

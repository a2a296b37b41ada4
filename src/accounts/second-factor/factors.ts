import type { SessionPrincipal } from '../../caller/principal.ts';
import type { AccountsParts } from '../dependencies.ts';
import { createCeremony } from '../passkeys/ceremony.ts';
import { createPasskeySignIn } from '../passkeys/passkey-sign-in.ts';
import { createPasskeys } from '../passkeys/passkeys.ts';
import { createCodeRenewal } from '../recovery-codes/recovery-codes.ts';
import type { CompleteSignIn } from '../sign-in/complete-sign-in.ts';
import { createTotpCodes } from '../totp/codes.ts';
import { createTotp } from '../totp/totp.ts';
import { createFactorChange } from './change.ts';
import type { FactorState } from './schema.ts';
import { createSecondFactor } from './second-factor.ts';
import { findFactors } from './store.ts';

export type Factors = ReturnType<typeof createFactors>;

/** Combines TOTP, passkeys and recovery codes. */
export function createFactors(parts: AccountsParts & { completeSignIn: CompleteSignIn }) {
  const changeFactors = createFactorChange(parts);
  const codes = createTotpCodes(parts.secrets);
  const ceremony = createCeremony(parts);
  const passkeys = createPasskeys({ ...parts, changeFactors, ceremony });
  const setUp = { ...parts, changeFactors, codes };
  return {
    ...createSecondFactor({ ...parts, codes, ceremony }),
    passkeys,
    passkeySignIn: createPasskeySignIn({ ...parts, ceremony }),
    totp: createTotp(setUp),
    renewRecoveryCodes: createCodeRenewal(setUp),
    async state(caller: SessionPrincipal): Promise<FactorState> {
      const { totp, recovery_codes } = await findFactors(parts.database.pool, caller.person);
      return {
        totp,
        passkeys: [...(await passkeys.list(caller))],
        recovery_codes_left: recovery_codes,
      };
    },
  };
}

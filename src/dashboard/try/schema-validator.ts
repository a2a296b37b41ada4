import { Validator } from '@cfworker/json-schema';
import type { Schema } from '@cfworker/json-schema';
import type { ValidatorType } from '@rjsf/utils';

/**
 * Only chooses between the alternatives of a schema: the service decides whether arguments are
 * valid. It interprets schemas, since the content security policy forbids code made of them.
 */
const validator: ValidatorType = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({}),
  isValid(schema, values, { $defs, definitions }) {
    try {
      const whole = { ...($defs && { $defs }), ...(definitions && { definitions }), ...schema };
      return new Validator(whole as Schema, '2020-12').validate(values).valid;
    } catch {
      return false;
    }
  },
};

export default validator;

//! What the macro says about bad policies is what the loader says: see the tests.

from sklearn.utils.estimator_checks import parametrize_with_checks
from laconic.classifiers.rls import RLSClassifier
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.selectors.top import TopTerms

@parametrize_with_checks([RLSClassifier(), ReduceThenFit(), TopTerms()])
def test_sklearn(estimator, check):
    check(estimator)

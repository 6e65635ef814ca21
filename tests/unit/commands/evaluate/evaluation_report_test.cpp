// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluation_report.hpp"

#include <cmath>

#include "study/metrics.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

EvaluationReport two_classes() {
  EvaluationReport report;
  report.models = {"a \"b\".pt"};
  report.data = "test.h5";
  report.loss = LossKind::cross_entropy;
  report.engine = "native";
  report.rows = 10;
  report.outputs = 2;
  report.fit = Fit{0.25, {{MetricKind::accuracy, 0.7}}, {{2.0 / 3, 1, 0.8, 6}, {1, 0.25, 0.4, 4}}, {6, 0, 3, 1}};
  report.seconds = 0.5;
  report.bytes = 1e9;
  return report;
}

}  // namespace

TEST_CASE("the text report shows the table of the classes and the confusion matrix when there are few classes") {
  const std::string text = evaluation_text(two_classes());
  CHECK_THAT(text, ContainsSubstring("loss               0.25 (cross_entropy)\naccuracy           0.700000\n"));
  CHECK_THAT(text, ContainsSubstring("20 rows/s, 2 GB/s"));
  CHECK_THAT(text, ContainsSubstring("    0     0.6667  1.0000  0.8000     6\n"));
  CHECK_THAT(text, ContainsSubstring("    1     1.0000  0.2500  0.4000     4\n"));
  CHECK_THAT(text, ContainsSubstring("label  as 0  as 1\n    0     6     0\n    1     3     1\n"));
  auto report = two_classes();
  report.class_names = {"no", "yes"};
  report.positive = 1;
  CHECK_THAT(evaluation_text(report), ContainsSubstring("positive class     yes\n"));
  report.threshold = 0.25;
  CHECK_THAT(evaluation_text(report), ContainsSubstring("positive class     yes, from a probability of 0.25\n"));
  CHECK_THAT(evaluation_json(report), ContainsSubstring(R"("positive":"yes","threshold":0.25,)"));
  report.fit.reset();
  report.models = {"1.pt", "2.pt", "3.pt"};
  CHECK_THAT(evaluation_text(report), ContainsSubstring("ensemble of 3, '1.pt' to '3.pt'"));
  CHECK(evaluation_text(report).find("accuracy") == std::string::npos);
}

TEST_CASE("the text report says why it has no confusion matrix, and names an undefined metric") {
  auto report = two_classes();
  report.task = Task::classification;
  CHECK(evaluation_text(report).find("not shown") == std::string::npos);
  report.outputs = 59;
  report.fit->confusion.assign(59 * 59, 0);
  CHECK_THAT(evaluation_text(report), ContainsSubstring("classes            not shown for more than 20; --output=json "
                                                        "includes their values and the confusion matrix\n"));
  report.fit->confusion.clear();
  CHECK_THAT(evaluation_text(report),
             ContainsSubstring("classes            not shown for more than 20; --output=json includes their values\n"));
  report.fit->metrics = {{MetricKind::r2, std::nan("")}};
  CHECK_THAT(evaluation_text(report), ContainsSubstring("R2                 not defined for so few rows\n"));
}

TEST_CASE("the report of several labels per row has a table of them and no confusion matrix") {
  auto report = two_classes();
  report.task = Task::multilabel;
  report.class_names = {"rain", "wind"};
  report.threshold = 0.25;
  report.fit->confusion.clear();
  const std::string text = evaluation_text(report);
  CHECK_THAT(text, ContainsSubstring("threshold          labels from a probability of 0.25\n"));
  CHECK_THAT(text,
             ContainsSubstring("label  precision  recall      F1  rows\nrain      0.6667  1.0000  0.8000     6\n"));
  CHECK(text.find("as rain") == std::string::npos);
  CHECK_THAT(evaluation_json(report), ContainsSubstring(R"("label_names":["rain","wind"],"threshold":0.25,)"));
  CHECK_THAT(evaluation_json(report), ContainsSubstring(R"("labels":[{"label":"rain","precision":)"));
}

TEST_CASE("the JSON report escapes strings and writes null for numbers that are not finite") {
  auto report = two_classes();
  CHECK(evaluation_json(report) ==
        R"({"models":["a \"b\".pt"],"data":"test.h5","rows":10,"outputs":2,"engine":"native",)"
        R"("loss_kind":"cross_entropy","loss":0.25,"accuracy":0.7,)"
        R"("classes":[{"class":0,"precision":0.6666666666666666,"recall":1.0,"f1":0.8,"rows":6},)"
        R"({"class":1,"precision":1.0,"recall":0.25,"f1":0.4,"rows":4}],"confusion":[[6,0],[3,1]],)"
        R"("seconds":0.5,"rows_per_second":20.0,"bytes_per_second":2000000000.0})"
        "\n");
  report.fit->loss = 1 / 0.0;
  CHECK_THAT(evaluation_json(report), ContainsSubstring("\"loss\":null"));
  report.data = "gr\xfcn.h5";
  CHECK_THAT(evaluation_json(report), ContainsSubstring("\"data\":\"gr\uFFFDn.h5\""));
}

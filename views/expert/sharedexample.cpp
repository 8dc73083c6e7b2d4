// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/expert/sharedexample.h"

#include "analysis/scheduling/sharedaccess.h"
#include "views/widgets/notice.h"

#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace longpole {

SharedExample::SharedExample(QWidget* parent) : QWidget(parent)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 12, 10);
    row->setSpacing(16);
    auto* column = new QVBoxLayout;
    column->setSpacing(8);
    auto* words = new QLabel(
        tr("Tables, read-only, write-once, accumulator and monotonic variables are judged by user stats that the "
           "program records, named shared/<kind>/<operation>/<variable>. Of a monotonic variable, such as the best "
           "value of a search, the work is shown that was done before a better value came."),
        this);
    words->setTextFormat(Qt::PlainText);
    words->setWordWrap(true);
    words->setObjectName(QStringLiteral("muted"));
    auto* copy = new QPushButton(tr("Copy the example"), this);
    connect(copy, &QPushButton::clicked, this, [copy] { copyText(*copy, sharedStatExample(), tr("the example")); });
    column->addWidget(words);
    column->addWidget(copy, 0, Qt::AlignLeft);
    column->addStretch();
    auto* example = new QPlainTextEdit(sharedStatExample(), this);
    example->setReadOnly(true);
    example->setLineWrapMode(QPlainTextEdit::NoWrap);
    example->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    example->setAccessibleName(tr("Example"));
    row->addLayout(column, 2);
    row->addWidget(example, 3);
}

}  // namespace longpole
